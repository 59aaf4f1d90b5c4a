/** Mode step, switched on while an idea rests: its next iteration waits for an approval. Features: A6 B8. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import type { RunStatus } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox;
afterEach(() => box?.dispose());

/** Each call is a line in `calls`; while the file `open` is missing the agent is at a limit for hours. */
async function opened(): Promise<void> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'r-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
  });
  const limit = `echo "You've hit your limit, try again in 5 hours" >&2; exit 1`;
  const run = `echo x >> ${box.scratch}/calls; if [ ! -e ${box.scratch}/open ]; then ${limit}; fi`;
  await box.write({
    '.ralph-script.yaml': yaml({
      default: [{ do: [{ run }, { append: { path: 'x.txt', text: '1\n' } }], signal: 'COMPLETE' }],
    }),
  });
  await box.commit('script');
}

const calls = async (): Promise<number> =>
  (await readFile(join(box.scratch, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean).length;
const status = async (): Promise<RunStatus> => (await box.run('status', '--json')).json[0]?.status as RunStatus;

it.each([
  ['mode step', ['mode', 'step']],
  ['start --mode step', ['start', '--detach', '--mode', 'step']],
])('A6: %s, while its agent is at a limit: the next iteration waits for an approval', async (_, command) => {
  await opened();
  expect((await box.run('start', '--detach')).code).toBe(0);
  await until('its rest', async () => (await status())?.resumesAt);
  const told = await box.run(...command);
  expect(told.code, told.stderr).toBe(0);
  await writeFile(join(box.scratch, 'open'), '');
  expect((await box.run('limits', 'retry')).code).toBe(0);
  const found = await until('an approval, or a run without one', async () => {
    const why = (await box.run('why', 'r-1')).stdout;
    return (why.includes('wants approval') || (await calls()) > 1) && why;
  });
  expect(await calls(), found).toBe(1);
  expect((await box.run('approve', 'r-1')).code).toBe(0);
  await until('its second run', async () => (await calls()) === 2);
});
