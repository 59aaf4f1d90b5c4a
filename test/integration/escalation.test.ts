/** The ladder of an idea that gets nowhere, on the real program. Features: B4, B8, C4. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenAllLanded } from '../support/told.js';

let box: Sandbox;
let runId = '';
/** Milliseconds that a condition may take on a busy machine. */
const SLOW = 120_000;
afterEach(() => box?.dispose());

const AGENT = join(import.meta.dirname, '../../dist/scripted-agent.js');
/** A program that is told its model as `--model NAME`; its script finds it in the environment. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: for the shell
const START = 'export MODEL="${3:-usual}"; exec "$0" "$@"';
const agent = { adapter: 'command', command: ['sh', '-c', START, process.execPath, AGENT] };

async function begin(steps: object[], config: object, first = ''): Promise<void> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'e-1' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'first', slots: 1, stepDelayMs: 0, gate: ['true'] },
      agents: {
        first: { ...agent, stronger: { model: 'big' } },
        second: { ...agent, env: { OTHER_API_KEY: 'another account' } },
      },
      ...config,
    }),
  });
  const call = { run: `echo "$RALPHCTL_AGENT $MODEL" >> ${box.scratch}/calls; ${first}` };
  const script = steps.map((step) => ({ ...step, do: [call, ...('do' in step ? (step.do as object[]) : [])] }));
  await box.write({ '.ralph-script.yaml': yaml({ default: script }) });
  await box.commit('script');
  const started = await box.run('start', '--detach', '--json');
  expect(started.code, started.stderr).toBe(0);
  runId = String(started.json[0]?.runId);
}
const calls = async () =>
  (await readFile(join(box.scratch, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const landed = (): Promise<StampedEvent[]> => whenAllLanded(box, runId, SLOW);
const rungs = (all: StampedEvent[]) => all.flatMap((event) => (event.kind === 'escalated' ? [event.rung] : []));
const done = { append: { path: 'done.txt', text: 'done' } };
const still = { signal: 'PROGRESS:10' };

describe('B4 escalation', () => {
  it('says so, begins afresh, takes the stronger model, then the other agent, then asks; the answer lands it', async () => {
    await begin(
      [
        still,
        { whenPrompt: { contains: 'try another approach' }, ...still },
        { whenPrompt: { contains: 'start again' }, ...still },
        { whenPrompt: { contains: 'stronger model' }, ...still },
        { whenPrompt: { contains: 'Another agent worked on it' }, ...still },
        { whenPrompt: { contains: 'The answer: look at the file' }, do: [done], signal: 'COMPLETE' },
      ],
      { fallback: ['second'], escalation: { after: 1, every: 1 } },
    );
    const asked = await until(
      'the question',
      async () => {
        const { json } = await box.run('status', '--json');
        const { status } = json[0] as { status: RunStatus };
        return status?.attention.find((line) => line.id === 'e-1');
      },
      SLOW,
    );
    expect(asked.reason).toMatch(/^5 iterations in a row/);
    const before = ['first usual', 'first usual', 'first usual', 'first big', 'second usual'];
    expect(await calls()).toEqual(before);
    await box.run('answer', 'e-1', 'look at the file');
    const all = await landed();
    // Not back to the agent that got nowhere.
    expect(await calls()).toEqual([...before, 'second usual']);
    expect(rungs(all)).toEqual(['nudge', 'fresh', 'stronger', 'other', 'ask']);
    expect(all.filter((event) => event.kind === 'agent')).toMatchObject([{ agent: 'second', before: 'first' }]);
    const read = all.filter((event) => event.kind === 'delivered');
    expect(read.map(({ notes, fromProgram }) => [notes, fromProgram])).toEqual([
      ...Array.from({ length: 4 }, () => [1, 1]),
      [1, undefined],
    ]);
    expect((await box.run('logs', '--run', runId)).stdout).toContain('it continues with a stronger model or effort');
  });

  it('B8: a stronger model at a limit of its own closes no account: the idea goes on with the usual one', async () => {
    const limit = `[ "$MODEL" != big ] || { echo "You've hit your limit, try again in 5 hours" >&2; exit 1; }`;
    await begin(
      [still, { do: [done], signal: 'COMPLETE' }],
      { escalation: { after: 1, every: 1, steps: ['stronger', 'ask'] } },
      limit,
    );
    const all = await landed();
    expect(await calls()).toEqual(['first usual', 'first big', 'first usual']);
    expect(rungs(all)).toEqual(['stronger']);
    expect(all.filter((event) => event.kind === 'account' || event.kind === 'parked')).toEqual([]);
  });
});
