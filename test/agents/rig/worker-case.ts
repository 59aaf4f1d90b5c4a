/**
 * A worker that ends in the middle of an agent's tool call: nothing of the agent is left, no two agents live at once, and
 * the second one goes on with the conversation of the first.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSummary } from '../../../src/protocol/run.js';
import { pidsWith } from '../../support/processes.js';
import { roadmap, until } from '../../support/program.js';
import type { Scenario } from '../mock/scenario.js';
import type { Mock } from '../mock/server.js';
import { setupFor } from './drivers.js';
import type { CliName } from './install.js';
import { processesOf } from './left.js';
import { agentsBox } from './program.js';
import { IN_TOOL, LINGER, withMarks } from './scenarios.js';

export interface WorkerRow {
  wallMs: number;
  requests: number;
  left: string[];
  landed: string;
  /** Starts of the agent. */
  starts: number;
  overlaps: boolean;
  /** The second start went on with the conversation of the first. */
  resumed: boolean;
  outcome: RunSummary['outcome'] | undefined;
}

/**
 * `how`: the worker is killed and its supervisor starts another, or it is told to stop and a person starts again.
 * `waiting`: not in a tool call, but while the agent waits for its model's first answer.
 */
export async function workerCase(
  mock: Mock,
  stateRoot: string,
  cli: CliName,
  how: 'SIGKILL' | 'stop',
  waiting: boolean,
): Promise<WorkerRow> {
  const write = { write: { path: 'made.txt', text: 'hello after the worker\n' } };
  const scenario: Scenario = waiting
    ? { cut: { how: 'hang', at: 'start', times: 1 }, calls: [write] }
    : { calls: [{ shell: LINGER }, write] };
  const run = mock.play(`worker-${cli}-${Date.now()}`, scenario);
  const gate = { commands: ['test -f made.txt'] };
  const setups = { [cli]: setupFor(cli, run) };
  const files = { 'roadmap.md': roadmap([{ id: 'w-1' }]) };
  const box = await agentsBox(stateRoot, setups, files, { agent: cli, slots: 1, gate });
  run.scenario = withMarks(run.scenario, box.marks);
  const home = box.env.HOME ?? '';
  /** The agent and whatever it started; not the worker, which has the same home. */
  const ofAgent = async () =>
    (await processesOf(home)).filter(
      ({ command, ofAgent: agent }) => agent || command.includes(`${box.marks}/${IN_TOOL}`),
    );
  try {
    const started = Date.now();
    const first = box.run('start', '--json', '--wait');
    const there = async () => (waiting ? run.asked() > 0 : existsSync(join(box.marks, IN_TOOL)));
    await until('the agent in its tool call', there, 180_000);
    const before = await ofAgent();
    const { project } = (await box.run('status', '--json')).json[0] as { project: string };
    let finished = first;
    if (how === 'SIGKILL') {
      const [worker] = await pidsWith('worker', '--child', '--project', project);
      if (worker === undefined) throw new Error('there is no worker to kill');
      process.kill(worker, 'SIGKILL');
    } else {
      const stopped = await box.run('worker', '--stop');
      if (stopped.code !== 0) throw new Error(stopped.stderr);
      if ((await ofAgent()).length > 0) throw new Error('the worker ended before its agent');
      finished = box.run('start', '--json', '--wait');
    }
    await until(
      'the agent of the ended worker to be gone',
      async () => !(await ofAgent()).some(({ pid }) => before.some((old) => old.pid === pid)),
      60_000,
    );
    // Whether the next agent calls the tool again is up to its CLI: some tell the model that the call was cut off.
    await writeFile(join(box.marks, 'go'), '');
    const done = await finished;
    await first;
    const starts = (await readFile(join(box.marks, 'arguments'), 'utf8')).trim().split('\n');
    return {
      ...{
        wallMs: Date.now() - started,
        requests: run.asked(),
        starts: starts.length,
        resumed: / (?:--?resume|resume|--session)[ =]/.test(starts[1] ?? ''),
        left: (await ofAgent()).map((one) => one.command),
      },
      landed: await box.git('show', 'main:made.txt').catch(() => ''),
      overlaps: existsSync(join(box.marks, 'overlaps')),
      outcome: (done.json.at(-1) as unknown as RunSummary | undefined)?.outcome,
    };
  } finally {
    await writeFile(join(box.marks, 'go'), '');
    await box.dispose();
    mock.forget(run);
  }
}
