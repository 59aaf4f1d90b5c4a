/**
 * `landing.stack`, step by step, with the real `gh` against a forge on this machine and a real bare repository behind it:
 * pull requests on top of each other, and what becomes of the upper ones. Features: D2, C1.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import type { Below, LookResult, Pull as Shown } from '../../src/protocol/review.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { closePull, deleteBranch, type Merging, mergePull, type Pull } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { say } from './bench.js';
import { onGithub } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

// Each starts `gh` a dozen times.
describe.skipIf(gh.path === undefined)(`D2 stacked pull requests${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let pulls: Map<number, Pull>;
  let at: Pushing;
  afterEach(() => forge?.close());

  async function open(pr: Record<string, unknown> = {}): Promise<void> {
    ({ forge, at, repo, pulls } = await onGithub(gh.path, { landing: { stack: true }, pr }));
    // So nothing is merged at once.
    repo.protected = true;
  }

  /** The idea works on top of a commit. */
  async function works(id: string, on?: string, run = `printf '${id}\\n' > ${id}.txt`): Promise<LandInput> {
    await at.b.setAgent(`cat > /dev/null\n${run}\n${say('COMPLETE')}`);
    const { activities, ref, call } = at.b;
    const made = await call(activities.prepareIdea, {
      ...{ ...ref, idea: id, agentName: 'ed-001' },
      ...(on === undefined ? {} : { on }),
    }).done;
    const { head } = await call(activities.runAgent, at.b.agentInput(made, { idea: id })).done;
    const { worktree, branch, base } = made;
    return { ...ref, idea: id, title: `Do ${id}`, agentName: 'ed-001', worktree, branch, base, head };
  }
  async function lands(input: LandInput): Promise<Shown> {
    const result = await at.land(input);
    if (result.kind !== 'in-review') throw new Error(JSON.stringify(result));
    return result.pull;
  }
  const belowOf = (idea: string, { number, candidate }: Shown): Below => ({ idea, number, commit: candidate });
  const pullOf = (number: number): Pull => pulls.get(number) as Pull;
  const looks = (idea: string, pull: Shown, { worktree, branch, base, head, agentName }: LandInput, open = false) =>
    at.b.call(at.b.activities.lookAtPull, {
      ...{ ...at.b.ref, idea, pull, seen: [], work: { worktree, branch, base, head, agentName } },
      ...(open ? { belowIsOpen: true as const } : {}),
    }).done as Promise<LookResult>;
  /** Files that the page of the pull request shows. */
  const shows = async ({ base, head }: Pull): Promise<string[]> =>
    (await at.inBare('diff', '--name-only', `${base}...${head}`)).split('\n').filter(Boolean);

  interface Two {
    lower: LandInput;
    first: Shown;
    upper: LandInput;
    second: Shown;
  }
  async function two(pr: Record<string, unknown> = {}): Promise<Two> {
    await open(pr);
    const lower = await works('t-1');
    const first = await lands(lower);
    const upper = await works('t-2', first.candidate);
    const second = await lands({ ...upper, below: belowOf('t-1', first) });
    return { lower, first, upper, second };
  }

  it('each has the branch below it as its base, shows its own change only, and says on what it stands', async () => {
    const { first, upper, second } = await two({ autoMerge: 'squash' });
    const top = await works('t-3', second.candidate);
    const third = await lands({ ...top, below: belowOf('t-2', second) });
    expect([...pulls.values()].map(({ head, base, autoMerge }) => [head, base, autoMerge])).toEqual([
      ['ralph/t-1', 'main', 'squash'],
      ['ralph/t-2', 'ralph/t-1', undefined],
      ['ralph/t-3', 'ralph/t-2', undefined],
    ]);
    expect(await shows(pullOf(third.number))).toEqual(['roadmap.md', 't-3.txt']);
    expect(pullOf(second.number).body).toMatch(/^Stands on #1 \(t-1\), which is merged first\. <!-- .* -->\n\n/);
    expect(pullOf(second.number).body).toContain('Green on top of #1:\n');
    expect(second).toMatchObject({ onto: first.candidate, below: { idea: 't-1', number: 1 } });
    const before = forge.writes().length;
    const { number, onto, below } = second;
    expect(await lands({ ...upper, below: belowOf('t-1', first) })).toMatchObject({ number, onto, below });
    expect(forge.writes()).toHaveLength(before);
  });

  const ENDS: (Merging & { name: string })[] = [
    { name: 'merged', how: 'merge' },
    { name: 'squashed', how: 'squash' },
    { name: 'rebased', how: 'rebase' },
    { name: 'squashed, and its branch deleted', how: 'squash', deletes: true },
  ];
  it.each(ENDS)(
    'the one below is $name: the same pull request moves onto the target with its own commits',
    async (end) => {
      const { lower, first, upper, second } = await two({ autoMerge: 'merge' });
      pullOf(second.number).body += '\n\nA word of a person.';
      const merged = mergePull(repo, first.number, 'ann', end);
      expect(await looks('t-1', first, lower)).toMatchObject({ kind: 'merged', commit: merged });
      // Cut off after the move, and before anybody knows of it.
      forge.trouble.swallow = ({ method, path }) => method === 'PATCH' && path.endsWith('/pulls/2');
      expect(await at.land(upper)).toMatchObject({ kind: 'forge-waits' });
      forge.calm();
      const moved = await lands(upper);
      expect(moved).toMatchObject({ number: second.number, onto: merged });
      expect(moved).not.toHaveProperty('below');
      expect(pulls.size).toBe(2);
      const pull = pullOf(second.number);
      expect(pull).toMatchObject({ base: 'main', state: 'open', autoMerge: 'merge' });
      expect(pull.body).not.toContain('Stands on');
      expect(pull.body).toContain('A word of a person.');
      expect(await shows(pull)).toEqual(['roadmap.md', 't-2.txt']);
      const subjects = await at.inBare('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main..ralph/t-2');
      expect(subjects.split('\n').filter(Boolean)).toEqual(['t-2']);
      mergePull(repo, second.number, 'ann');
      expect(await looks('t-2', moved, upper)).toMatchObject({ kind: 'merged' });
    },
  );

  it('goes on top of new commits of the one below, gated and pushed again', async () => {
    const { lower, first, upper, second } = await two();
    const prepared = await at.b.prepare('t-1');
    await at.b.setAgent(`cat > /dev/null\nprintf 'better\\n' > t-1.txt\n${say('COMPLETE')}`);
    const input = at.b.agentInput(prepared, { idea: 't-1', serial: 2 });
    const { head } = await at.b.call(at.b.activities.runAgent, input).done;
    const again = await lands({ ...lower, head });
    expect(again.candidate).not.toBe(first.candidate);
    const moved = await lands({ ...upper, below: belowOf('t-1', again) });
    expect(moved).toMatchObject({ number: second.number, onto: again.candidate });
    expect(await at.inBare('show', 'ralph/t-2:t-1.txt')).toBe('better');
    expect(await shows(pullOf(second.number))).toEqual(['roadmap.md', 't-2.txt']);
    expect(pulls.size).toBe(2);
  });

  it('its diff begins at the one below, also in a worktree of a later run, and after that one was squashed', async () => {
    const { lower, first } = await two();
    expect((await at.b.prepare('t-2')).base).toBe(first.candidate);
    mergePull(repo, first.number, 'ann', { how: 'squash' });
    await looks('t-1', first, lower);
    expect((await at.b.prepare('t-2')).base).toBe(first.candidate);
  });

  it('closed together with the branch below it, nobody has turned it down: another one follows', async () => {
    const { lower, first, upper, second } = await two();
    deleteBranch(repo, 'ralph/t-1', 'ann');
    expect(await looks('t-2', second, upper, true)).toEqual({
      kind: 'astray',
      why: 'pull request 2 was closed with the branch below it, ralph/t-1',
    });
    expect(await at.land({ ...upper, below: belowOf('t-1', first) })).toMatchObject({
      kind: 'waits-below',
      why: 'moved',
    });
    expect(await looks('t-1', first, lower)).toEqual({ kind: 'closed', by: 'ann' });
    expect(pulls.size).toBe(2);
    const alone = await lands(upper);
    expect(pullOf(alone.number)).toMatchObject({ number: 3, base: 'main' });
    expect(await shows(pullOf(alone.number))).toEqual(['roadmap.md', 't-2.txt']);
  });

  it('a person who closes it while the branch below is there has turned it down', async () => {
    const { upper, first, second } = await two();
    closePull(repo, second.number, 'ann');
    expect(await looks('t-2', second, upper, true)).toEqual({ kind: 'closed', by: 'ann' });
    const result: LandResult = await at.land({ ...upper, below: belowOf('t-1', first) });
    expect(result).toMatchObject({ kind: 'pull-closed', by: 'ann' });
  });

  it('a person who closed it before the branch below it went has turned it down', async () => {
    const { lower, first, upper, second } = await two({ autoMerge: 'merge' });
    closePull(repo, second.number, 'ann');
    forge.world.later(60_000);
    mergePull(repo, first.number, 'ann', { how: 'squash', deletes: true });
    await looks('t-1', first, lower);
    expect(await looks('t-2', second, upper)).toEqual({ kind: 'closed', by: 'ann' });
    expect(await at.land(upper)).toMatchObject({ kind: 'pull-closed', by: 'ann' });
    expect(pulls.size).toBe(2);
  });

  it('merged into the branch below it, it has landed with that one, and not before', async () => {
    const { lower, first, upper, second } = await two();
    mergePull(repo, second.number, 'ann');
    expect(await looks('t-2', second, upper, true)).toEqual({
      kind: 'behind',
      why: 'it is merged, and has landed once pull request 1 (t-1) below it has',
    });
    expect(await at.b.git('rev-parse', '--verify', 'ralph/t-2')).toBe(upper.head);
    const merged = mergePull(repo, first.number, 'ann', { how: 'squash' });
    expect(await looks('t-1', first, lower)).toMatchObject({ kind: 'merged', commit: merged });
    expect(await looks('t-2', second, upper)).toMatchObject({ kind: 'astray' });
    // Its work is there already.
    expect(await at.land(upper)).toMatchObject({ kind: 'landed', commit: merged });
    expect(pulls.size).toBe(2);
  });

  it('merged onto the target while the one below is open, it gets no second one', async () => {
    const { first, upper, second } = await two();
    pullOf(second.number).base = 'main';
    mergePull(repo, second.number, 'ann', { how: 'squash' });
    const writes = forge.writes().length;
    expect(await at.land({ ...upper, below: belowOf('t-1', first) })).toMatchObject({
      ...{ kind: 'waits-below', why: 'empty' },
    });
    expect([pulls.size, forge.writes().length]).toEqual([2, writes]);
  });

  it('merged into the branch below it too late, its work is not on the target: another one brings it there', async () => {
    const { lower, first, upper, second } = await two();
    mergePull(repo, first.number, 'ann', { how: 'squash' });
    mergePull(repo, second.number, 'ann');
    await looks('t-1', first, lower);
    expect(await looks('t-2', second, upper)).toEqual({
      kind: 'astray',
      why: 'pull request 2 was merged into ralph/t-1, and not into main',
    });
    const again = await lands(upper);
    expect(pullOf(again.number)).toMatchObject({ number: 3, base: 'main' });
    expect(await shows(pullOf(again.number))).toEqual(['roadmap.md', 't-2.txt']);
  });
});
