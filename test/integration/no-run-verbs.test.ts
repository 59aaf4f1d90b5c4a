/** Every verb about an idea works while no run is open, and `reset` takes everything back. Features: A2 C2 C3 C5 G8. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';

let held: Held;
const ended = (signal: string) => ({ ...DONE, signal });

/** One night for all tests: its ideas are told apart. */
beforeAll(async () => {
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'landed', steps: [DONE] },
      { id: 'failed', steps: [{ ...DONE, exit: 3 }] },
      { id: 'late', maxIterations: 1, steps: [ended('none'), DONE] },
      { id: 'blocked', steps: [ended('BLOCKED: no key'), DONE] },
      { id: 'large', steps: [ended('BLOCKED: too large')] },
      { id: 'asks', steps: [ended('NEEDS_HUMAN: which colour?'), { ...DONE, when: 'green' }] },
    ],
    { slots: 6, errors: { threshold: 50, maxRetries: 0 }, escalation: { steps: [] } },
  );
  await held.start();
  await held.idea('landed', 'landed');
  await held.idea('failed', 'failed');
  await held.idea('late', 'timeout');
  await held.idea('blocked', 'blocked');
  await held.idea('large', 'blocked');
  await held.idea('asks', 'needs-human');
}, 300_000);
afterAll(() => held?.box.dispose());

const run = (...args: string[]) => held.box.run(...args);
const branches = async (): Promise<string[]> =>
  (await held.box.git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/ralph/')).split('\n').filter(Boolean);
const worktrees = () => held.box.git('worktree', 'list');

it('G8: reset is refused while a run is open', async () => {
  const { code, stderr } = await run('reset', '--all');
  expect([code, stderr]).toEqual([7, expect.stringContaining('a run is open. End it first: ralphctl stop')]);
  expect((await run('stop')).code).toBe(0);
  await held.closed();
}, 240_000);

/** Each with what it answers; in this order, because one idea gets several. */
const VERBS: [string[], RegExp][] = [
  [['limit', 'late', '2'], /late may use 2 more iterations/],
  [['hint', 'late', 'the other way'], /late gets your text with its first prompt/],
  [['answer', 'asks', 'green'], /asks gets your answer with its first prompt/],
  [['score', 'asks', '7'], /asks has 7 points from you in the next run/],
  [['bump', 'asks'], /asks is ahead of all other ready ideas/],
  [['edit', 'late', '--title', 'Later'], /late is changed for the next runs/],
  [
    ['split', 'large', '--into', 'First half', '--into', 'Second half'],
    /large is replaced by large-1, large-2[\s\S]*1 commit of large stays on ralph\/large, and its parts begin without it/,
  ],
  [['unblock', 'blocked'], /blocked is queued again/],
  [['skip', 'blocked'], /the next run leaves blocked out/],
  [['retry', 'failed'], /failed is queued again/],
  [['rollback', 'late'], /late was rolled back: 1 commit taken off its branch/],
  [['cleanup', 'late'], /the worktree of late was removed/],
  [['saves', 'late'], /rolled back/],
  [['abandon', 'blocked'], /blocked is abandoned/],
];

it.each(VERBS)(
  'C2 C3 C5: works without an open run: %s',
  async (args, answer) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(answer)]);
  },
  60_000,
);

it('C2: refuses what would change nothing: a second rollback, a verb on an idea that is replaced by its parts', async () => {
  for (const [args, why] of [
    [['rollback', 'late'], /there is nothing to take back of late: its branch has no commits of its own/],
    [['retry', 'large'], /large is an epic: give the command to its ideas instead/],
    [['limit', 'large', '2'], /large is an epic: give the command to its ideas instead/],
  ] as const) {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([7, expect.stringMatching(why)]);
  }
}, 60_000);

it('A2 C3: why shows the retry before the next start, and start and its dry run list what they carry over', async () => {
  expect((await held.why('failed')).parts).toContainEqual({
    label: 'tried again once, with the next start',
    value: -15,
  });
  const carried = ['retry failed', 'limit late +2', 'hint for late', 'answer for asks', 'score asks 7', 'bump asks'];
  const status = (await run('status')).stdout;
  const planned = await run('start', '--dry-run');
  const shown = planned.stdout + planned.stderr;
  for (const words of carried) {
    expect(status).toContain(words);
    expect(shown).toContain(words);
  }
  expect(shown).toContain('late keeps its edit');
  expect(shown).toContain('large is split into large-1, large-2');
  expect(shown).toMatch(/the run leaves out blocked: you abandoned it/);
  // Both hold: the first place, with the points on top.
  const json = (await run('start', '--dry-run', '--json')).json[0] as { order: { id: string; score: number }[] };
  expect(json).toMatchObject({
    landed: ['landed'],
    amended: expect.arrayContaining([expect.stringContaining('late')]),
  });
  expect(json.order[0]).toMatchObject({ id: 'asks', score: 1_000_007 });
  const { todo } = (await run('report', '--json')).json[0] as { todo: { subject: string; text: string }[] };
  const text = todo.find(({ subject }) => subject === 'the rest')?.text ?? '';
  // Queued, answered, and the rest: each in the order of the start.
  const lists = text.split('. ').map((part) => part.slice(part.indexOf(': ')));
  let named = 0;
  for (const list of lists) {
    const places = json.order.map(({ id }) => list.search(new RegExp(`\\b${id}\\b`))).filter((at) => at >= 0);
    expect(places, text).toEqual([...places].sort((a, b) => a - b));
    named += places.length;
  }
  expect(text).toContain('you answered 1 idea: asks');
  expect(named, text).toBeGreaterThan(2);
}, 120_000);

it('C2: refuses a step of an idea without a plan, says that nothing was selected, and names the command itself', async () => {
  const step = await run('skip', 'late', '--step');
  expect([step.code, step.stderr]).toEqual([2, expect.stringContaining('late has no plan with steps')]);
  expect((await run('retry', '--where', 'landing', '--json')).json).toEqual([{ verb: 'retry', ideas: [] }]);
  const source = await run('run', 'nonsense', '--dry-run');
  expect([source.code, source.stderr]).toEqual([2, expect.stringContaining('ralphctl run <source>')]);
  expect(source.stderr).not.toContain('ralphctl start');
  const backlog = await run('start', 'nonsense', '--dry-run');
  expect(backlog.stderr).toContain('ralphctl start <file>');
  // Nothing is on the branch any more since its rollback.
  const fresh = await run('retry', 'late', '--fresh');
  expect([fresh.code, fresh.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^late is queued again; its branch has no commits of its own to take back\. No run is open\. The next start runs it from the beginning, on main as it is then: /,
    ),
  ]);
}, 120_000);

it('C3: a plain retry and why say that the branch is behind its target, and retry --fresh begins on the target', async () => {
  await held.box.git('commit', '-q', '--allow-empty', '-m', 'a fix');
  const behind = Number(await held.box.git('rev-list', '--count', 'ralph/failed..main'));
  expect(behind).toBeGreaterThan(0);
  const text = `its branch is ${behind} commit${behind === 1 ? '' : 's'} behind main; --fresh begins on main`;
  const again = await run('retry', 'failed');
  expect([again.code, again.stderr]).toEqual([7, expect.stringContaining(text)]);
  expect(again.stderr).toContain('failed is queued again already, so this changes nothing');
  expect((await run('why', 'failed')).stdout).toContain(text);
  expect((await run('retry', 'failed', '--fresh')).stdout).toMatch(
    /^failed (?:begins again: |is queued again; ).*The next start runs it from the beginning, on main as it is then: ralphctl start/,
  );
  expect(await held.box.git('rev-parse', 'ralph/failed')).toBe(await held.box.git('rev-parse', 'main'));
  expect((await run('why', 'failed')).stdout).not.toContain('behind main');
}, 60_000);

it('C2: a refusal after a skip does not offer the skip again', async () => {
  expect((await run('skip', 'asks')).code).toBe(0);
  const { code, stderr } = await run('unblock', 'asks');
  expect([code, stderr]).toEqual([
    7,
    expect.stringMatching(/^.*asks was skipped\. Possible without a run: .*\bretry\b/),
  ]);
  expect(stderr).not.toMatch(/\bskip\b/);
}, 60_000);

it('G8: reset says what it would do, then does it: nothing is carried over, and every commit is a save', async () => {
  expect((await run('reset')).code).toBe(2);
  const before = await branches();
  expect(before).toEqual(expect.arrayContaining(['asks', 'blocked', 'failed', 'large']));
  const plan = await run('reset', '--all', '--dry-run');
  expect([plan.code, plan.stdout]).toEqual([
    0,
    expect.stringMatching(/^blocked: saves and removes its branch \(1 commit\); .*forgets that it is abandoned/m),
  ]);
  expect(plan.stdout).not.toContain('landed');
  expect(await branches()).toEqual(before);

  const one = await run('reset', 'blocked');
  expect([one.code, one.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^blocked was reset: its branch and its worktree are gone, saved as refs\/ralphctl\/save\/blocked\/\d+/,
    ),
  ]);
  expect(await branches()).not.toContain('blocked');
  expect(await branches()).toContain('asks');

  expect((await run('reset', '--all')).code).toBe(0);
  expect(await branches()).toEqual([]);
  expect(await worktrees()).not.toContain('ralph/');
  for (const id of ['asks', 'blocked', 'failed', 'late']) expect(await held.saves(id), id).not.toEqual([]);
  expect((await held.why('failed')).status).toBe('pending');
  const next = await run('start', '--dry-run');
  expect(next.stdout + next.stderr).not.toMatch(/carries over|keeps its edit|split into|leaves out/);
  expect((await run('reset', '--all')).stdout).toContain('there is nothing to reset');
  expect(await held.box.git('log', '--format=%s', 'main')).toContain('landed');

  const gone = await run('reset', '--all', '--history');
  expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('the files of all runs are gone')]);
  expect((await run('runs')).stderr).toContain('this repository has had no run yet');
}, 240_000);
