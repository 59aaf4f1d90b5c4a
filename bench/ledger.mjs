/** What one operation of the evidence ledger costs, in an empty file and in a long one: `node bench/ledger.mjs`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const LONG = 60_000;
const EACH = 200;
const dir = await mkdtemp(join(tmpdir(), 'ralphctl-ledger-'));
try {
  const outfile = join(dir, 'append.cjs');
  const entryPoints = [fileURLToPath(new URL('../src/jobs/ledger/append.ts', import.meta.url))];
  await build({ entryPoints, bundle: true, outfile, platform: 'node', format: 'cjs', logLevel: 'error' });
  const { appendOperations } = (await import(pathToFileURL(outfile).href)).default;
  const commands = [{ command: 'npm test', exitCode: 0, durationMs: 12 }];
  const draft = (key) => ({
    ...{ key, at: new Date().toISOString(), op: 'evidence', kind: 'build', idea: 'a-1', run: `r-${key}` },
    ...{ actor: { kind: 'ralphctl' }, data: { commands } },
  });
  const costs = [];
  for (const lines of [0, LONG]) {
    if (lines > 0)
      await appendOperations(
        dir,
        'p',
        Array.from({ length: lines }, (_, n) => draft(`long-${n}`)),
      );
    const cpu = process.cpuUsage();
    const begin = performance.now();
    for (let n = 0; n < EACH; n++) await appendOperations(dir, 'p', [draft(`${lines}-${n}`)]);
    const { user, system } = process.cpuUsage(cpu);
    costs.push((user + system) / 1000 / EACH);
    const wall = (performance.now() - begin) / EACH;
    console.log(
      `${lines} lines before: ${costs.at(-1).toFixed(2)} ms of CPU, ${wall.toFixed(1)} ms until it is on the disk`,
    );
  }
  console.log(`long / empty: ${(costs[1] / costs[0]).toFixed(2)}`);
} finally {
  await rm(dir, { recursive: true, force: true });
}
