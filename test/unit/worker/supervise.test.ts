/** What the supervisor keeps of a worker that ends again and again, with a real process. Features: C6, G7. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectDir } from '../../../src/config/paths.js';
import { runningWorker } from '../../../src/worker/record.js';
import { supervise } from '../../../src/worker/supervise.js';
import { until } from '../../support/program.js';

const MISSING = 'the workflow bundle /x/workflow-bundle.js is missing; run: npm run build';
const WORKER = `
  const { existsSync } = require('node:fs');
  const there = (name) => existsSync(process.argv[2] + '/' + name);
  if (!there('mended')) {
    console.error('Error: ${MISSING}\\n    at begin (cli.js:1:1)\\n\\nNode.js v22.0.0');
    process.exit(1);
  }
  process.send('asked');
  setInterval(() => there('over') && process.exit(0), 20);
`;

/** The supervisor listens for signals of its process, which here is that of the tests. */
function keepListeners(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const before = process.listeners(signal);
    onTestFinished(() => {
      for (const one of process.listeners(signal)) if (!before.includes(one)) process.off(signal, one);
    });
  }
}

it('C6 G7: its record tells how often in a row the worker ended, how and why, until one has come up', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl-supervise-'));
  keepListeners();
  await mkdir(projectDir(root, 'p'), { recursive: true });
  const script = join(root, 'worker.cjs');
  await writeFile(script, WORKER);
  // A server elsewhere, so that none is started.
  const env = { PATH: process.env.PATH, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const begun = Date.now();
  const worker = [process.execPath, script, root];
  const over = supervise({ root, cacheRoot: root, project: 'p', env, worker });
  const say = (name: string) => writeFile(join(root, name), '');
  onTestFinished(async () => {
    await Promise.all(['mended', 'over'].map(say));
    await over;
    await rm(root, { recursive: true, force: true });
  });
  const record = () => runningWorker(root, 'p');
  const ends = await until('the ends', async () => (await record())?.ends);
  expect(ends).toMatchObject({ how: 'exit code 1', error: `Error: ${MISSING}` });
  expect(ends.times).toBeGreaterThan(1);
  const since = Date.parse(ends.since);
  expect(since).toBeGreaterThanOrEqual(begun);
  const later = await until('another end', async () => {
    const now = (await record())?.ends;
    return now && now.times > ends.times ? now : undefined;
  });
  expect(later.since).toBe(ends.since);
  await say('mended');
  await until('a worker that works', async () => {
    const now = await record();
    return now !== undefined && now.ends === undefined;
  });
  await say('over');
  expect(await over).toBe(0);
  expect(await record()).toBeUndefined();
});
