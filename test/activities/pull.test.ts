/**
 * `landing.mode: pr`, step by step, with the real `gh` against a forge on this machine and a real bare repository behind
 * it: a forge that is down or limits requests, what was cut off between two requests, what people say. Features: D2, C1.
 */
import { readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import { recordOf } from '../../src/run-files/carried.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { check, closePull, mergePull, type Pull, tellStatus } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { onGithub, reviewOf } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

// Each starts `gh` a dozen times.
describe.skipIf(gh.path === undefined)(`D2 the pull request of an idea${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let pulls: Map<number, Pull>;
  let at: Pushing;
  afterEach(() => forge?.close());

  /** A finished idea, ready to land. */
  async function finished(
    pr: Record<string, unknown> = {},
    gate: readonly string[] = ['echo ran >> "$HOME/gated"'],
  ): Promise<LandInput> {
    ({ forge, at, repo, pulls } = await onGithub(gh.path, { gate, pr }));
    return at.works('t-1');
  }
  const gates = async (): Promise<number> =>
    (await readFile(join(at.b.base, 'gated'), 'utf8').catch(() => '')).split('\n').filter(Boolean).length;
  const only = (): Pull => {
    expect(pulls.size).toBe(1);
    return [...pulls.values()][0] as Pull;
  };
  type Waits = Extract<LandResult, { kind: 'forge-waits' }>;
  const inReview = (input: LandInput) => reviewOf(at, input);

  it('a forge that is down is a wait and no failure; the gate does not run again for the same tree', async () => {
    const input = await finished();
    forge.trouble.status = 502;
    const waits = (await at.land(input)) as Waits;
    expect(waits).toMatchObject({
      kind: 'forge-waits',
      why: 'the forge fails with 502',
      green: { trees: expect.any(String) },
    });
    expect(waits).not.toHaveProperty('at');
    expect(await gates()).toBe(1);
    forge.calm();
    const { green } = waits;
    const opened = await at.land({ ...input, ...(green ? { green } : {}) });
    expect(opened).toMatchObject({ kind: 'in-review', gate: { commands: [{ exitCode: 0 }] } });
    // It ran once, and is told once.
    expect([waits.gate?.earlier, (opened as Waits).gate?.earlier]).toEqual([undefined, true]);
    expect(await gates()).toBe(1);
    expect(only().body).toContain('Green on top of the target');
  });

  const commit = async (name: string): Promise<void> => {
    await at.b.write({ [`${name}.txt`]: `${name}\n` });
    await at.b.commit(name);
  };
  /** The refusal of a landing. */
  const refused = async (input: LandInput): Promise<string> => {
    const error = await at.land(input).then(
      ({ kind }) => new Error(`it was not refused: ${kind}`),
      (one: unknown) => one as Error,
    );
    return `${error.message}`;
  };
  const branches = (): Promise<string> => at.inBare('for-each-ref', '--format=%(refname)');

  it('commits of the target that only this machine has go to nobody; both ways out work', async () => {
    const input = await finished();
    await commit('mine');
    const why = await refused(input);
    expect(why).toMatch(
      /^main here has 1 commit \(\w+ mine\) that origin\/main lacks, and the pull request would take it along\./,
    );
    expect([await branches(), pulls.size]).toEqual(['refs/heads/main', 0]);
    for (const command of /in a checkout of main: (.*)$/m.exec(why)?.[1]?.split('; ') ?? [])
      await at.b.git(...command.split(' ').slice(1));
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(await at.inBare('log', '--format=%s', 'ralph/t-1')).not.toContain('mine');
    await at.b.git('merge', '--quiet', '--ff-only', 'my-main');
    expect(await refused(input)).toContain(' mine) that origin/main lacks');
    await at.b.git(...(/first: git (push origin main)\./.exec(why)?.[1]?.split(' ') ?? []));
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
  });

  it('nor do they where the remote answers again only after the gate', async () => {
    const input = await finished({}, ['mv "$HOME/away.git" "$HOME/bare.git"']);
    await commit('mine');
    await rename(at.bare, join(at.b.base, 'away.git'));
    expect(await refused(input)).toContain(' mine) that origin/main lacks');
    expect([await branches(), pulls.size]).toEqual(['refs/heads/main', 0]);
  });

  it('a merge that the target here cannot follow is no landing until both are joined', async () => {
    const { look, pull } = await inReview(await finished());
    await commit('mine');
    const merged = mergePull(repo, pull.number, 'ann');
    expect(await look()).toEqual({
      kind: 'behind',
      why: 'it is merged, but main here has commits that origin/main lacks; join both: git pull --no-rebase origin main',
    });
    await at.b.git('pull', '--quiet', '--rebase', 'origin', 'main');
    expect(await look()).toMatchObject({ kind: 'merged', commit: merged, by: 'ann' });
  });

  it('a merge is taken over beside a landing: the worktree in which that works stays as it is', async () => {
    const { look, pull } = await inReview(await finished());
    const integration = /worktree (.*\/integration\/.*)/.exec(await at.b.git('worktree', 'list', '--porcelain'))?.[1];
    const lock = await at.b.gitIn(integration ?? '', 'rev-parse', '--git-path', 'index.lock');
    // A reset of many files takes longer than a minute.
    await writeFile(lock, '');
    await utimes(lock, new Date(0), new Date(0));
    const commit = mergePull(repo, pull.number, 'ann');
    expect(await look()).toMatchObject({ kind: 'merged', commit });
    expect(await at.b.git('rev-parse', 'main')).toBe(commit);
    expect(await readFile(join(at.b.repo, 't-1.txt'), 'utf8')).toBe('t-1\n');
    expect(await readFile(lock, 'utf8')).toBe('');
  });

  it('the refs of a review go once it is merged, and the idea is pushed again over a branch that is left there', async () => {
    const { look, pull } = await inReview(await finished());
    const refs = () => at.b.git('for-each-ref', '--format=%(refname)', 'refs/ralphctl/review/');
    expect(await refs()).toBe(`refs/ralphctl/review/t-1/${pull.candidate}`);
    mergePull(repo, pull.number, 'ann', { how: 'squash' });
    expect(await look()).toMatchObject({ kind: 'merged' });
    expect(await refs()).toBe('');
    expect(await at.inBare('rev-parse', 'ralph/t-1')).toBe(pull.candidate);
    // A person wants it once more.
    const more = async (text: string): Promise<LandInput> => {
      const { worktree, branch, base } = await at.b.prepare('t-1');
      await at.b.write({ 't-1.txt': text }, worktree);
      await at.b.gitIn(worktree, 'commit', '--quiet', '--all', '--message', text);
      const head = await at.b.gitIn(worktree, 'rev-parse', 'HEAD');
      return { ...at.b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001', worktree, branch, base, head };
    };
    const again = await more('more\n');
    const { candidate } = (await inReview(again)).pull;
    expect(await at.inBare('rev-parse', 'ralph/t-1')).toBe(candidate);
    expect(pulls.size).toBe(2);
    // A commit of a person there is not overwritten.
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@localhost'];
    const theirs = await at.inBare(...who, 'commit-tree', '-p', candidate, '-m', 'theirs', `${candidate}^{tree}`);
    await at.inBare('update-ref', 'refs/heads/ralph/t-1', theirs);
    const third = await more('yet more\n');
    await expect(at.land(third)).rejects.toThrow(/Somebody else moved the branch ralph\/t-1/);
  });

  it('a limit of requests is waited for until its reset', async () => {
    const input = await finished();
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    forge.trouble.limitedUntil = until;
    expect(await at.land(input)).toMatchObject({
      kind: 'forge-waits',
      at: until,
      why: expect.stringMatching(/^the forge limits requests until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
    });
    expect(pulls.size).toBe(0);
  });

  it('so is it by a look', async () => {
    const { look } = await inReview(await finished());
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    forge.trouble.limitedUntil = until;
    expect(await look()).toMatchObject({
      kind: 'unreachable',
      at: until,
      why: expect.stringContaining('limits requests'),
    });
    forge.trouble.limitedUntil = Date.now() - 60_000;
    expect(await look()).toEqual({ kind: 'open' });
  });

  it('a login that is not accepted asks at once', async () => {
    const input = await finished();
    Object.assign(at.b.env, { GH_TOKEN: 'token-of-', GH_ENTERPRISE_TOKEN: 'token-of-' });
    await expect(at.land(input)).rejects.toThrow(/cannot be opened: the login of gh is not accepted.*gh auth login/s);
  });

  it('C1: labels and reviewers that a killed attempt did not get to are set by the next one, once', async () => {
    const input = await finished({ labels: ['ralph'], reviewers: ['ann'] });
    forge.trouble.swallow = ({ method, path }) => method === 'POST' && path.endsWith('/pulls');
    expect(await at.land(input)).toMatchObject({ kind: 'forge-waits' });
    expect(only()).toMatchObject({ reviewers: [] });
    forge.calm();
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(only()).toMatchObject({ reviewers: ['ann'] });
    expect(repo.issues.get(only().number)?.labels).toEqual(['ralph']);
    const before = forge.writes().length;
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(forge.writes()).toHaveLength(before);
    // A given review takes its author off the list.
    only().reviewers.length = 0;
    only().reviews.push({ id: 1, login: 'ann', body: '', state: 'APPROVED' });
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(forge.writes()).toHaveLength(before);
  });

  it('a pull request that somebody closed while nobody looked stays closed, until a person starts the idea again', async () => {
    const input = await finished();
    const { pull, look } = await inReview(input);
    forge.world.comment(repo.issues.get(pull.number) as never, 'ann', 'Too big:\nsplit it.');
    closePull(repo, pull.number, 'ann');
    const closed = { by: 'ann', why: 'Too big: split it.' };
    expect(await look()).toEqual({ kind: 'closed', ...closed });
    const noted = async () => (await recordOf(at.b.root, at.b.ref.project, 't-1')).kept ?? [];
    const why = `pull request ${pull.number} was closed by ann without a merge: ${pull.url} (its closing comment: "${closed.why}")`;
    expect(await noted()).toMatchObject([{ verb: 'closed', reason: why }]);
    expect(await at.land(input)).toMatchObject({ kind: 'pull-closed', number: pull.number, url: pull.url, ...closed });
    expect(pulls.size).toBe(1);
    expect(await noted()).toMatchObject([{ verb: 'closed', reason: why }]);
    expect(await at.land({ ...input, anew: true })).toMatchObject({ kind: 'in-review' });
    expect(pulls.size).toBe(2);
    expect(await noted()).toEqual([]);
  });

  it('autoMerge asks the forge to merge, once, and merges at once where nothing is left to wait for', async () => {
    const input = await finished({ autoMerge: 'squash' });
    repo.protected = true;
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(only()).toMatchObject({ autoMerge: 'squash', state: 'open' });
    const before = forge.writes().length;
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(forge.writes()).toHaveLength(before);
    repo.protected = false;
    delete only().autoMerge;
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(only()).toMatchObject({ state: 'closed', merged: { by: 'me' } });
  });

  it.each([
    { mergeState: 'has_hooks' as const, state: 'closed' },
    // Something that need not be green is red, or still runs.
    { mergeState: 'unstable' as const, state: 'open' },
  ])(
    'autoMerge on a pull request in $mergeState status: it is $state, and nobody is asked',
    async ({ mergeState, state }) => {
      const input = await finished({ autoMerge: 'squash' });
      Object.assign(repo, { mergeState });
      expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
      expect(only()).toMatchObject({ state });
    },
  );

  it('of more comments than fit, the rest comes with the next look; a comment that never fits is cut, with its address', async () => {
    const { look } = await inReview(await finished());
    const pull = only();
    const long = (id: number, length: number) =>
      pull.lines.push({ id, login: 'ann', body: `${id}: ${'x'.repeat(length)}` });
    long(1, 900);
    long(2, 700);
    long(3, 900);
    long(4, 5000);
    const tails: string[] = [];
    const seen: string[] = [];
    for (;;) {
      const result = await look(seen);
      if (result.kind !== 'back') break;
      tails.push(`${result.seen.join(', ')}; ${result.rest ?? 0} more; ${result.tail}`);
      expect(result.tail.length).toBeLessThanOrEqual(2000);
      seen.push(...result.seen);
    }
    expect(tails).toEqual([
      expect.stringMatching(
        /^line 1, line 2; 2 more; ann: 1: x+\n\nann: 2: x+\n\n\[2 more comments follow after this round\.\]$/,
      ),
      expect.stringMatching(/^line 3; 1 more; ann: 3: x+\n\n\[1 more comment follows after this round\.\]$/),
      expect.stringMatching(/^line 4; 0 more; ann: 4: x+… \[cut; the whole comment: https:\S+\]$/),
    ]);
  });

  it('what the agent had before it made this commit does not come again in a later run; what it had not, does', async () => {
    const input = await finished();
    const { look } = await inReview(input);
    only().reviews.push({ id: 9, login: 'ann', body: 'Rename it.', state: 'CHANGES_REQUESTED' });
    expect(await look()).toMatchObject({ kind: 'back', seen: ['review 9'] });
    // Stopped before its agent had it.
    expect(await look()).toMatchObject({ kind: 'back', seen: ['review 9'] });
    const { look: later } = await inReview({ ...input, seen: ['review 9'] });
    expect(await later()).toEqual({ kind: 'open' });
    only().reviews.push({ id: 10, login: 'ann', body: 'And document it.', state: 'CHANGES_REQUESTED' });
    expect(await later()).toMatchObject({ kind: 'back', seen: ['review 10'] });
  });

  it('autoMerge that the repository does not allow asks, and the pull request stays', async () => {
    const input = await finished({ autoMerge: 'merge' });
    repo.autoMerge = false;
    await expect(at.land(input)).rejects.toThrow(
      /is open, but its automatic merge cannot be asked for: .*not allowed.*; then: ralphctl config reload/s,
    );
    expect(only().state).toBe('open');
  });

  it('title and text come from the templates of the project, with the mark below it, as a draft', async () => {
    const input = await finished({ template: 'pull.md', title: 'feat: {{title}} [{{id}}]', draft: true });
    await at.b.write({ 'pull.md': 'For {{id}}: {{title}}\n\nChecked:\n{{gate}}\n' });
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(only()).toMatchObject({ title: 'feat: Do t-1 [t-1]', draft: true });
    expect(only().body).toMatch(
      /^For t-1: Do t-1\n\nChecked:\nGreen on top of the target:\n- `echo ran[\s\S]*<!-- ralphctl idea t-1 -->$/,
    );
  });

  it('comments beyond the first hundred, red checks beyond it, and reviews with the own login reach the agent', async () => {
    const { look } = await inReview(await finished());
    expect(await look()).toEqual({ kind: 'open' });
    const pull = only();
    for (let id = 1; id <= 150; id++) pull.lines.push({ id, login: 'stranger', body: 'hm', path: 't-1.txt', line: 1 });
    pull.lines.push({ id: 151, login: 'ann', body: 'Please rename it.', path: 't-1.txt', line: 1 });
    pull.reviews.push({ id: 152, login: 'me', body: 'And add a test.', state: 'COMMENTED' });
    const back = await look();
    expect(back).toMatchObject({ kind: 'back', about: 'comments', seen: ['review 152', 'line 151'] });
    expect(back).toHaveProperty('tail', expect.stringContaining('ann on t-1.txt:1: Please rename it.'));
    expect(back).toHaveProperty('tail', expect.stringContaining('me: And add a test.'));
    const seen = (back as { seen: string[] }).seen;
    expect(await look(seen)).toEqual({ kind: 'open' });
    for (let id = 1; id <= 110; id++)
      check(repo, 1000 + id, 'ralph/t-1', id < 110 ? 'success' : 'failure', 'Error: red\n');
    expect(await look(seen)).toMatchObject({ kind: 'back', about: 'checks', seen: ['check 1110'] });
  });

  it('commit statuses of other systems count as checks do: a red one with its words and address, once', async () => {
    const { look } = await inReview(await finished());
    const of = { context: 'ci/jenkins', target_url: 'https://ci.test/job/7' };
    tellStatus(repo, 'ralph/t-1', { ...of, id: 1, state: 'pending', description: 'runs' });
    expect(await look()).toEqual({ kind: 'open' });
    tellStatus(repo, 'ralph/t-1', { ...of, id: 2, state: 'failure', description: '3 of 40 tests failed' });
    const back = { kind: 'back', about: 'checks', what: 'ci/jenkins (https://ci.test/job/7)', seen: ['status 2'] };
    expect(await look()).toEqual({ ...back, tail: 'ci/jenkins: 3 of 40 tests failed\nhttps://ci.test/job/7' });
    expect(await look(['status 2'])).toEqual({ kind: 'open' });
  });
});
