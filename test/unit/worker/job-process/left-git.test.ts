/** A git that hangs when its job process ends. Feature: C6. */
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { JobProcess } from '../../../../src/worker/job-process/client.js';
import { bench, say } from '../../../activities/bench.js';
import { pidsWith } from '../../../support/processes.js';
import { until } from '../../../support/program.js';

const program = fileURLToPath(new URL('../../../../dist/launcher.js', import.meta.url));
const linux = process.platform === 'linux';

/** A job process whose git hangs in a status of the agent's worktree. Returns what finds the filter that hangs. */
async function hanging() {
  const mark = `1000.${process.pid}${Date.now()}`;
  // Git asks the filter about a file of the same size with another age.
  const files = { '.gitattributes': '*.slow filter=slow\n', 'a.slow': 'x\n' };
  const b = await bench({ files, agent: `printf 'y\\n' > a.slow\n${say('COMPLETE')}` });
  const at = await b.prepare();
  await b.git('config', 'filter.slow.clean', `sleep ${mark}`);
  const notes: string[] = [];
  const start = (): JobProcess => {
    const onNote = (note: string, about: Record<string, unknown>) =>
      void notes.push(`${note}: ${String(about.git)} ${String(about.command)}`);
    const made = new JobProcess({
      ...{ root: b.root, project: b.project, host: 'testhost', program },
      ...{ onNote, onLost: () => undefined },
    });
    onTestFinished(() => made.close());
    return made;
  };
  const context = { signal: new AbortController().signal, taskToken: 'dG9rZW4=', abandoned: () => false };
  const jobProcess = start();
  jobProcess.doWork('runAgent', b.agentInput(at), context).catch(() => undefined);
  const filters = (): Promise<number[]> => pidsWith('sleep', mark);
  await until('its git to hang', async () => (await filters()).length > 0);
  return { jobProcess, start, filters, notes };
}

it.runIf(linux)('ends with a job process that is stopped, when it only reads', { timeout: 120_000 }, async () => {
  const { jobProcess, filters } = await hanging();
  await jobProcess.close();
  await until('it to be gone', async () => (await filters()).length === 0);
});

it.runIf(linux)('is ended by the next job process after a SIGKILL, which says so', { timeout: 120_000 }, async () => {
  const { jobProcess, start, filters, notes } = await hanging();
  process.kill(jobProcess.pid ?? 0, 'SIGKILL');
  start();
  await until('it to be gone', async () => (await filters()).length === 0);
  await until('a note', async () => notes.length > 0);
  expect(notes[0]).toMatch(/^ended a git that a killed job process left: \d+ git status --porcelain=v2/);
});
