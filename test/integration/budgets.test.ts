/** Budgets and warnings on the real program: what is reported counts, what waits can be answered. Features: B6, A7. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { IdeaView, RunStatus } from '../../src/protocol/views.js';
import { events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenOver } from '../support/told.js';

let box: Sandbox;
let runId = '';
/** Milliseconds that a condition may take on a busy machine. */
const SLOW = 120_000;
afterEach(() => box?.dispose());

const AGENT = join(import.meta.dirname, '../../dist/scripted-agent.js');
/** An agent that speaks JSON lines, so that it can say what it uses. */
const talking = { adapter: 'command', command: [process.execPath, AGENT], output: 'json' };
const used = (dollars: number, tokens = 100) => ({
  say: JSON.stringify({ type: 'usage', inputTokens: tokens, outputTokens: 0, costUsd: dollars }),
});
const ends = (signal: string) => ({
  say: JSON.stringify({ type: 'result', status: 'success', text: `<ralph nonce="\${NONCE}">${signal}</ralph>` }),
});
const call = (name: string) => ({ run: `echo "$RALPHCTL_IDEA ${name}" >> "${box.scratch}/calls"` });
// biome-ignore lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
const adds = (text: string) => ({ append: { path: '${IDEA}.txt', text: `${text}\n` } });

async function begin(ideas: string[], config: object, script: (scratch: string) => object[], more = {}): Promise<void> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(ideas.map((id) => ({ id, ...more }))),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'talking', slots: 1, stepDelayMs: 0, gate: ['true'] },
      agents: { talking },
      ...config,
    }),
  });
  await box.write({ '.ralph-script.yaml': yaml({ default: script(box.scratch) }) });
  await box.commit('script');
  await start();
}
async function start(): Promise<void> {
  const started = await box.run('start', '--detach', '--json');
  expect(started.code, started.stderr).toBe(0);
  runId = String(started.json[0]?.runId);
}
const seen = async () => (await box.run('status', '--json')).json[0] as { status: RunStatus; ideas: IdeaView[] };
const standing = (check: (status: RunStatus) => unknown, what: string) =>
  until(
    what,
    async () => {
      const { status } = await seen();
      return status && check(status) ? status : undefined;
    },
    SLOW,
  );
const calls = async () =>
  (await readFile(join(box.scratch, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
async function over(): Promise<StampedEvent[]> {
  await whenOver(box, SLOW);
  return events(await box.run('logs', '--json', '--run', runId));
}

describe('budgets', () => {
  it('of an idea: warns, asks at its end with the slot free, goes on when raised, stops with the work kept', async () => {
    await begin(['b-1'], { budget: { idea: { dollars: 1 } } }, () => [
      { do: [call('1'), adds('1'), used(0.85), ends('PROGRESS:40')] },
      { do: [call('2'), adds('2'), used(0.85), ends('PROGRESS:80')] },
      { do: [call('3'), adds('3'), used(9), ends('PROGRESS:90')] },
    ]);
    const asked = await standing(({ attention }) => attention[0]?.status === 'needs-human', 'the question');
    expect(asked.attention[0]?.reason).toContain('1.7 of 1 dollars used');
    expect(await calls()).toEqual(['b-1 1', 'b-1 2']);
    // What is neither yes nor no leaves it open.
    await box.run('answer', 'b-1', 'what do you mean?');
    await box.run('answer', 'b-1', '+2');
    const again = await standing(
      ({ attention }) => attention[0]?.reason?.includes('of 3 dollars'),
      'the next question',
    );
    expect(again.attention[0]?.reason).toContain('10.7 of 3 dollars');
    await box.run('answer', 'b-1', 'stop');
    const all = await over();
    expect(all.flatMap((event) => (event.kind === 'warning' ? [event.warning] : []))).toEqual(['budget']);
    expect(all.findLast((event) => event.kind === 'idea')).toMatchObject({ status: 'timeout' });
    expect(await box.git('show', 'ralph/b-1:b-1.txt')).toBe('1\n2\n3');
  });

  it('of one run: an agent that says what it uses is ended in the middle, and its work goes on', async () => {
    await begin(['m-1'], { budget: { iteration: { tokens: 500 } } }, (scratch) => [
      { do: [call('1'), adds('1'), used(0, 501), { waitFor: { path: join(scratch, 'never') } }] },
      { do: [call('2'), used(0, 10), adds('2'), ends('COMPLETE')] },
    ]);
    const all = await over();
    expect(await calls()).toEqual(['m-1 1', 'm-1 2']);
    expect(all.filter((event) => event.kind === 'iteration-end').map(({ outcome }) => outcome)).toEqual([
      'timeout',
      'ok',
    ]);
    expect(await box.git('show', 'main:m-1.txt')).toBe('1\n2');
  });

  it('of the run and the day: pauses, says why, goes on when raised; the day counts over runs; unknown is said', async () => {
    const config = { budget: { run: { dollars: 1 }, day: { dollars: 100, tokens: 1000 } } };
    await begin(['r-1', 'r-2'], config, () => [{ do: [call('1'), used(1.5), adds('1'), ends('COMPLETE')] }]);
    const paused = await standing(({ state }) => state === 'paused', 'the pause');
    expect(paused.why).toMatch(/the budget of the run is used up: 1.5 of 1 dollars/);
    expect(await calls()).toEqual(['r-1 1']);
    // It would change nothing: the budget holds the run.
    const refused = await box.run('resume');
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('budget raise') });
    expect(await calls()).toEqual(['r-1 1']);
    expect((await box.run('budget')).stdout).toContain('run: 1.5 of 1 dollars used');
    expect((await box.run('budget', 'raise', '+10')).code).toBe(0);
    await over();
    expect(await calls()).toEqual(['r-1 1', 'r-2 1']);
    // The next run begins with what this one used today; an agent that reports nothing is not free of charge.
    await box.write({
      'roadmap.md': roadmap([{ id: 'r-3' }]),
      '.ralph-script.yaml': yaml({ default: [{ do: [call('1'), adds('1'), ends('NEEDS_HUMAN: more?')] }] }),
    });
    await box.commit('another idea');
    await start();
    await standing(({ attention }) => attention.length > 0, 'the question');
    const { status } = await seen();
    expect(status.budget).toMatchObject([
      { scope: 'run', dimension: 'dollars', used: 0, unknown: 1 },
      { scope: 'day', dimension: 'tokens', used: 200, unknown: 1 },
      { scope: 'day', dimension: 'dollars', used: 3, unknown: 1 },
    ]);
  });
});

describe('budgets of run and day while agents work', () => {
  it('A1: ends all of them at once, work kept and nothing charged; raised, they go on where they were', async () => {
    const config = { slots: 2, stepDelayMs: 0, budget: { run: { dollars: 1 } } };
    await begin(['l-1', 'l-2'], config, (scratch) => [
      // Together they are over; each alone would not be.
      { do: [call('1'), adds('1'), used(0.6), { waitFor: { path: join(scratch, 'go') } }, ends('COMPLETE')] },
    ]);
    const paused = await standing(({ state }) => state === 'paused', 'the pause');
    expect(paused.why).toMatch(/the budget of the run is used up: 1.2 of 1 dollars/);
    expect((await calls()).sort()).toEqual(['l-1 1', 'l-2 1']);
    expect(paused.active.map(({ id, status }) => [id, status])).toEqual([
      ['l-1', 'wants-slot'],
      ['l-2', 'wants-slot'],
    ]);
    expect(paused.statistics.iterations.total).toBe(0);
    await writeFile(join(box.scratch, 'go'), '');
    expect((await box.run('budget', 'raise', '+5')).code).toBe(0);
    const all = await over();
    expect((await calls()).sort()).toEqual(['l-1 1', 'l-1 1', 'l-2 1', 'l-2 1']);
    expect(all.filter(({ kind }) => kind === 'held')).toMatchObject([
      { why: expect.stringContaining('the budget of the run is used up') },
      { why: expect.stringContaining('the budget of the run is used up') },
    ]);
    // What the first agents left is in what landed, and their iteration counts once.
    for (const idea of ['l-1', 'l-2']) expect(await box.git('show', `main:${idea}.txt`)).toBe('1\n1');
    expect(all.filter((event) => event.kind === 'iteration-end').map(({ iteration }) => iteration)).toEqual([
      1, 1, 1, 1,
    ]);
  });
});

describe('B6 warnings', () => {
  it('stuck: the agent is told, a person is warned, the loop goes on, and every answer works', async () => {
    await begin(
      ['w-1'],
      { maxIterations: 8, warnings: { stuckAfter: 3 }, escalation: { steps: [] } },
      (scratch) => [
        {
          whenPrompt: { contains: 'choose another approach', lacks: 'last 4 iterations' },
          do: [call('told'), ends('PROGRESS:10')],
        },
        {
          whenPrompt: { contains: 'last 4 iterations' },
          do: [call('waits'), { waitFor: { path: join(scratch, 'go') } }, ends('PROGRESS:10')],
        },
        { do: [call('plain'), ends('PROGRESS:10')] },
      ],
      { max_iterations: 8 },
    );
    await until('the iteration that waits', async () => (await calls()).includes('w-1 waits'), SLOW);
    const { status, ideas } = await seen();
    expect(status.warnings).toMatchObject([
      { idea: 'w-1', kind: 'stuck', text: expect.stringContaining('made no progress') },
    ]);
    expect(ideas[0]?.warnings).toMatchObject([{ kind: 'stuck' }]);
    expect((await box.run('status')).stdout).toContain('! w-1 stuck');
    expect((await box.run('warn', 'w-1')).stdout).toContain('made no progress');
    expect(await calls()).toEqual(
      ['w-1 plain', 'w-1 plain', 'w-1 told', 'w-1 told', 'w-1 waits'].slice(0, (await calls()).length),
    );
    const wrong = await box.run('warn', 'w-1', 'maybe');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('continue|stop|+N|review')]);
    expect((await box.run('warn', 'w-1', '+7')).code).toBe(0);
    await until('the answer', async () => (await seen()).ideas[0]?.maxIterations === 15);
    expect((await seen()).status.warnings).toBeUndefined();
    await box.run('warn', 'w-1', 'stop');
    await box.write({ 'unrelated.txt': '' });
    await writeFile(join(box.scratch, 'go'), '');
    const all = await over();
    expect(all.filter((event) => event.kind === 'warning')).toMatchObject([
      { idea: 'w-1', warning: 'stuck' },
      // A file that came into the checkout meanwhile: nobody knows by whom.
      {
        idea: 'w-1',
        warning: 'outside',
        text: expect.stringContaining('unrelated.txt changed while w-1 (ed-001) ran'),
      },
    ]);
    expect(all.filter((event) => event.kind === 'warning-over')).toMatchObject([{ idea: 'w-1', warning: 'stuck' }]);
  });

  it('most of the iterations: warned once, and the idea ends as it would without', async () => {
    await begin(['i-1'], {}, () => [{ do: [call('1'), adds('more'), ends('PROGRESS:10')] }], { max_iterations: 5 });
    const all = await over();
    expect(await calls()).toHaveLength(5);
    expect(all.filter((event) => event.kind === 'warning')).toMatchObject([
      { warning: 'iterations', text: '4 of 5 iterations used' },
    ]);
    expect(all.findLast((event) => event.kind === 'idea')).toMatchObject({ status: 'timeout' });
  });
});
