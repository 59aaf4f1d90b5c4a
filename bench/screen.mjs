/**
 * What one repaint of the full screen costs: composed, rendered and written to a painter, with one thing changed each time.
 * `node bench/screen.mjs`. CPU time of this process; the share assumes a repaint every two seconds.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, 'dist', 'bench-screen.mjs');
await build({
  stdin: {
    contents: `
      export { fold, newModel } from './src/model/fold.js';
      export { compose } from './src/screen/compose.js';
      export { noDetails } from './src/screen/details.js';
      export { initialUi } from './src/screen/ui.js';
      export { Painter } from './src/screen/terminal/painter.js';
      export { render } from './src/screen/terminal/render.js';`,
    resolveDir: root,
    loader: 'ts',
  },
  ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
});
const { fold, newModel, compose, noDetails, initialUi, Painter, render } = await import(pathToFileURL(outfile).href);
await rm(outfile);

const TIMES = 300;
const at = (ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

function modelOf(slots, ideas) {
  const list = Array.from({ length: ideas }, (_, n) => ({
    ...{ id: `idea-${n}`, title: `Title of the idea number ${n}`, text: '', blue: false, dependsOn: [], tags: [] },
  }));
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main', slots }, list);
  fold(model, { at: at(0), kind: 'run', state: 'running', landed: 0, total: ideas });
  for (let n = 0; n < slots; n++) {
    const agentName = `ed-${String(n + 1).padStart(3, '0')}`;
    fold(model, { at: at(n), kind: 'idea', idea: `idea-${n}`, title: `Title ${n}`, status: 'running', agentName });
    fold(model, { at: at(n), kind: 'iteration', idea: `idea-${n}`, serial: 1, iteration: 1, max: 9, agentName });
  }
  return model;
}

console.log('slots  ideas  size      CPU per repaint   share of a core at one in 2 s');
for (const [slots, ideas] of [
  [4, 24],
  [4, 10_000],
  [100, 10_000],
]) {
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
  ]) {
    const model = modelOf(slots, ideas);
    const painter = new Painter(() => {});
    const paint = (n) => {
      fold(model, {
        at: at(10_000 + n),
        kind: 'warning',
        idea: `idea-${n % slots}`,
        warning: 'stuck',
        text: `warned ${n}`,
      });
      const { lines } = compose(
        ...[model, initialUi(), noDetails(), { columns, rows }],
        ...[{ colour: true, ascii: false }, Date.UTC(2026, 0, 1) + 10_000 + n],
      );
      painter.paint({ lines: lines.map((line) => render(line, true)) });
    };
    for (let n = 0; n < 50; n++) paint(n);
    const before = process.cpuUsage();
    for (let n = 50; n < 50 + TIMES; n++) paint(n);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000 / TIMES;
    const size = `${columns}x${rows}`.padEnd(8);
    console.log(
      `${String(slots).padStart(5)}  ${String(ideas).padStart(5)}  ${size}  ${ms.toFixed(2).padStart(6)} ms  ${' '.repeat(8)}${((ms / 2000) * 100).toFixed(2)} %`,
    );
  }
}
