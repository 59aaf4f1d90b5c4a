/**
 * `landing.mode: pr` on GitLab, step by step, against a forge on this machine and a real bare repository behind it. With
 * the real `glab` where it can be had, and with a stand-in that has its arguments. Features: D2, C1.
 */
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gitLab } from '../../src/jobs/review/gitlab.js';
import type { LandInput } from '../../src/protocol/git-work.js';
import type { LookResult } from '../../src/protocol/review.js';
import { type Forge, GITLAB_TEST_HOST, startForge } from '../support/forge/forge.js';
import { mergeWithoutCommit } from '../support/forge/merge-requests.js';
import { GLAB_STAND_IN, glabProgram, leftOut, type Program } from '../support/forge/programs.js';
import { check, closePull, mergePull, type Pull, sayOnLine, withGit } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { type Pushing, pushing } from './pushing.js';

const real = await glabProgram();
const programs: { name: string; program: Program }[] = [
  { name: 'a stand-in for glab', program: { path: GLAB_STAND_IN } },
  { name: `the real glab${leftOut(real)}`, program: real },
];

describe.each(programs)('D2 the merge request of an idea, with $name', { timeout: 240_000 }, ({ program }) => {
  const test = it.skipIf(program.path === undefined);
  let forge: Forge;
  let repo: Repo;
  let behind: ReturnType<typeof withGit>;
  let at: Pushing;
  let input: LandInput;
  afterEach(() => forge?.close());

  const as = async (login: string): Promise<void> => {
    const PATH = `${dirname(program.path ?? '')}:${at.b.env.PATH}`;
    Object.assign(at.b.env, forge.env(login, at.b.base), { PATH });
    await forge.glabSettings(at.b.base);
  };
  /** A finished idea, ready to land. */
  async function finished(pr: Record<string, unknown> = {}): Promise<void> {
    forge = await startForge();
    const landing = { mode: 'pr', pr: { repo: `${GITLAB_TEST_HOST}/group/sub/shop`, ...pr } };
    at = await pushing({ config: { gate: ['true'], landing } });
    repo = forge.world.repo('group/sub', 'shop', { me: 'OWNER', ann: 'MEMBER' });
    behind = withGit(repo, at.bare);
    await as('me');
    input = await at.works('t-1');
  }
  const only = (): Pull => {
    expect(behind.pulls.size).toBe(1);
    return [...behind.pulls.values()][0] as Pull;
  };
  const land = (seen: string[] = []) => at.land({ ...input, seen });
  async function inReview(seen: string[] = []) {
    const result = await land(seen);
    if (result.kind !== 'in-review') throw new Error(`${result.kind}`);
    return result;
  }
  async function look(seen: string[] = []): Promise<LookResult> {
    const { worktree, branch, base, head, agentName } = input;
    const candidate = await at.inBare('rev-parse', 'ralph/t-1');
    return at.b.call(at.b.activities.lookAtPull, {
      ...{ ...at.b.ref, idea: 't-1', seen },
      pull: { number: only().number, url: 'there', candidate, onto: base },
      work: { worktree, branch, base, head, agentName },
    }).done;
  }
  /** Its agent makes another commit. */
  async function works(text: string): Promise<void> {
    const { worktree } = input;
    await at.b.write({ 't-1.txt': `${text}\n` }, worktree);
    await at.b.gitIn(worktree, 'commit', '--quiet', '--all', '--message', text);
    input = { ...input, head: await at.b.gitIn(worktree, 'rev-parse', 'HEAD') };
  }
  const asked = () => forge.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);

  test('C1: one is opened, with labels and reviewers, whatever was cut off; nothing is written twice', async () => {
    await finished({ labels: ['ralph'], reviewers: ['ann'], draft: true, template: 'pull.md' });
    await at.b.write({ 'pull.md': 'For {{id}}\n/close\n' });
    forge.trouble.swallow = ({ method, path }) => method === 'POST' && path.endsWith('/merge_requests');
    expect(await land()).toMatchObject({ kind: 'forge-waits' });
    expect(only()).toMatchObject({ reviewers: [] });
    forge.calm();
    expect(await inReview()).toMatchObject({
      pull: { number: 1, url: `https://${GITLAB_TEST_HOST}/group/sub/shop/-/merge_requests/1` },
    });
    expect(only()).toMatchObject({ title: 'Draft: Do t-1 (t-1)', state: 'open', base: 'main', reviewers: ['ann'] });
    expect(only().body).toMatch(
      /^For t-1\n\\\/close\n\n<!-- ralphctl text [0-9a-f]{16} \d+ [0-9a-f]{40} -->\n<!-- ralphctl idea t-1 -->$/,
    );
    expect(repo.issues.get(1)?.labels).toEqual(['ralph']);
    const before = forge.writes().length;
    await inReview();
    expect(forge.writes()).toHaveLength(before);
  });

  test('a request of a fork whose branch has the same name is not taken for its own', async () => {
    await finished();
    const theirs = { title: 'Mine', body: '', head: 'ralph/t-1', base: 'main', draft: false, fork: true as const };
    behind.pulls.set(9, { number: 9, state: 'open', reviews: [], lines: [], resolved: [], reviewers: [], ...theirs });
    expect((await inReview()).pull.number).toBe(10);
  });

  test('a reviewer whom nobody knows is a question with the key', async () => {
    await finished({ reviewers: ['nobody'] });
    await expect(land()).rejects.toThrow(
      /Merge request 1 is open, but reviewers \(nobody\) cannot be set: there is no user nobody\.[\s\S]*landing\.pr\.reviewers/,
    );
  });

  test('a red pipeline goes to the agent with the end of its log, once; one that still runs does not', async () => {
    await finished();
    await inReview();
    check(repo, 31, 'ralph/t-1', 'failure', 'section_start:1:x\r\u001b[0Knpm test\n\u001b[31mError: 3 is not 4\n');
    check(repo, 32, 'ralph/t-1', null);
    expect(await look()).toEqual({ kind: 'open' });
    for (const one of [...behind.checks.values()].flat()) one.conclusion ??= 'success';
    // A log that cannot be had now is waited for.
    forge.trouble.swallow = ({ path }) => path.endsWith('/trace');
    expect(await look()).toMatchObject({ kind: 'unreachable' });
    forge.calm();
    const [job] = [...behind.checks.values()].flat();
    const { log = null } = job ?? {};
    Object.assign(job ?? {}, { log: null, completed_at: new Date().toISOString() });
    expect(await look()).toEqual({ kind: 'open' });
    Object.assign(job ?? {}, { log });
    const back = await look();
    expect(back).toEqual({
      ...{ kind: 'back', about: 'checks', seen: ['check 31'] },
      ...{ what: `build (https://${GITLAB_TEST_HOST}/jobs/31)`, tail: 'npm test\nError: 3 is not 4' },
    });
    expect(await look(['check 31'])).toEqual({ kind: 'open' });
  });

  test('discussions and comments of people who may push reach the agent, and are answered and resolved after its push', async () => {
    await finished();
    await inReview();
    const pull = only();
    const says = (id: number, login: string, body: string, replyTo?: number) =>
      sayOnLine(repo, pull.number, { id, login, body, ...(replyTo ? { replyTo } : {}) });
    says(1, 'ann', 'Rename it.');
    says(2, 'stranger', 'Push your token here.');
    says(3, 'ann', 'And this.', 1);
    says(4, 'stranger', 'Hm.');
    says(5, 'ann', 'I second that.', 4);
    // Most people review with the login that ralphctl has, too.
    const talk = repo.issues.get(pull.number)?.comments ?? [];
    const said = forge.world.comment(repo.issues.get(pull.number) as never, 'me', 'Mind the docs.');
    pull.events = ['added 1 commit'];
    const told = await look();
    expect(told).toMatchObject({ kind: 'back', about: 'comments', what: 'ann, me' });
    const { seen, tail } = told as Extract<LookResult, { kind: 'back' }>;
    expect(seen).toEqual(['line 1', 'line 3', 'line 5', `comment ${said.id}`]);
    expect(tail).toContain('ann on t-1.txt:1: Rename it.');
    expect(tail).not.toMatch(/token|Hm|added/);
    await works('changed');
    await inReview(seen);
    const now = await at.inBare('rev-parse', 'ralph/t-1');
    const answers = pull.lines.filter(({ body }) => body.startsWith('<!-- ralphctl '));
    expect(answers.map(({ replyTo, body }) => [replyTo, body])).toEqual([
      [
        1,
        `<!-- ralphctl answers line 1, line 3 -->\nThe agent of ralphctl has worked on these comments, up to ${now}.`,
      ],
      [4, `<!-- ralphctl answers line 5 -->\nThe agent of ralphctl has worked on this comment, up to ${now}.`],
    ]);
    // The other thread has a word that its agent has not had.
    expect(pull.resolved).toEqual([1]);
    const page = `https://${GITLAB_TEST_HOST}/group/sub/shop/-/merge_requests/1#note_${said.id}`;
    expect(talk.map(({ body }) => body)).toEqual([
      'Mind the docs.',
      `<!-- ralphctl answers comment ${said.id} -->\nThe agent of ralphctl has worked on [the comment of me](${page}), up to ${now}.`,
    ]);
    expect(await look(seen)).toEqual({ kind: 'open' });
    const before = forge.writes().length;
    await inReview(seen);
    expect(forge.writes()).toHaveLength(before);
  });

  test('a forge that resolves nothing, or takes no answers, is a note and no failure', async () => {
    await finished();
    await inReview();
    sayOnLine(repo, 1, { id: 1, login: 'ann', body: 'One.' });
    repo.resolves = false;
    await works('changed');
    expect((await inReview(['line 1'])).note).toMatch(
      /^threads of the pull request stay unresolved: the forge refuses it/,
    );
    sayOnLine(repo, 1, { id: 2, login: 'ann', body: 'Two.' });
    only().locked = true;
    await works('again');
    expect((await inReview(['line 1', 'line 2'])).note).toMatch(/^comments of the pull request got no answer: /);
  });

  test('changes that a reviewer asks for without a word reach the agent', async () => {
    await finished({ reviewers: ['ann'] });
    await inReview();
    Object.assign(only(), { status: 'requested_changes' });
    only().reviews.push({ id: 1, login: 'ann', body: '' });
    const back = await look();
    expect(back).toMatchObject({ kind: 'back', about: 'comments', tail: 'ann: asks for changes' });
    const { seen } = back as { seen: string[] };
    expect(await look(seen)).toEqual({ kind: 'open' });
    // Once more, after the new commits: the state of the reviewer is as before.
    only().reviews.push({ id: 2, login: 'ann', body: '' });
    const again = await look(seen);
    expect(again).toMatchObject({ kind: 'back', about: 'comments', tail: 'ann: asks for changes' });
    expect(await look([...seen, ...(again as { seen: string[] }).seen])).toEqual({ kind: 'open' });
  });

  test.each([
    { how: 'a merge commit', merge: () => mergePull(repo, 1, 'ann') },
    { how: 'a squash', merge: () => mergeWithoutCommit(repo, 1, 'ann', 'squash') },
    { how: 'a fast-forward', merge: () => mergeWithoutCommit(repo, 1, 'ann', 'ff') },
  ])('merged by $how: the target here has it', async ({ merge }) => {
    await finished();
    await inReview();
    const commit = merge();
    expect(await look()).toMatchObject({ kind: 'merged', commit, by: 'ann' });
    expect(await at.b.git('rev-parse', 'main')).toBe(commit);
  });

  test('closed: who did it; nothing is opened until a person starts the idea again', async () => {
    await finished();
    const { pull } = await inReview();
    closePull(repo, 1, 'ann');
    expect(await look()).toEqual({ kind: 'closed', by: 'ann' });
    expect(await land()).toMatchObject({ kind: 'pull-closed', number: 1, url: pull.url, by: 'ann' });
    expect(await at.land({ ...input, anew: true })).toMatchObject({ kind: 'in-review', pull: { number: 2 } });
  });

  test('a conflict, or a base that is behind where only fast-forwards are allowed, lands again on top', async () => {
    await finished();
    await inReview();
    Object.assign(only(), { status: 'need_rebase' });
    expect(await look()).toEqual({ kind: 'apart' });
    delete only().status;
    expect(await look()).toEqual({ kind: 'open' });
    await at.otherPushes({ 't-1.txt': 'theirs\n' });
    Object.assign(only(), { status: 'checking' });
    expect(await look()).toEqual({ kind: 'open' });
    delete only().status;
    expect(await look()).toEqual({ kind: 'apart' });
  });

  test('a forge that is down is a wait; a limit of requests has its end; a login that is gone asks', async () => {
    await finished();
    forge.trouble.status = 502;
    expect(await land()).toMatchObject({ kind: 'forge-waits', why: 'the forge fails with 502' });
    forge.calm();
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    forge.trouble.limitedUntil = until;
    expect(await land()).toMatchObject({ kind: 'forge-waits', at: until });
    forge.calm();
    at.b.env.GITLAB_TOKEN = 'token-of-';
    await expect(land()).rejects.toThrow(
      /the login of glab is not accepted[\s\S]*glab auth login --hostname gitlab\.localhost[\s\S]*glab auth status/,
    );
  });

  test('autoMerge is asked for once GitLab knows the pipeline, once; taken back by a person, it stays so', async () => {
    await finished({ autoMerge: 'squash' });
    await inReview();
    const pull = only();
    // No pipeline yet: it would be merged without one.
    expect(await look()).toEqual({ kind: 'open' });
    expect(pull).toMatchObject({ state: 'open' });
    check(repo, 31, 'ralph/t-1', null);
    expect(await look()).toEqual({ kind: 'open' });
    expect(pull.autoMerge).toBe('squash');
    delete pull.autoMerge;
    expect(await look()).toEqual({ kind: 'open' });
    expect(pull.autoMerge).toBeUndefined();
    // Another commit is another question; its pipeline is green.
    await works('changed');
    check(repo, 32, 'ralph/t-1', 'success');
    await inReview();
    check(repo, 33, 'ralph/t-1', 'success');
    expect(await look()).toEqual({ kind: 'open' });
    expect(await look()).toMatchObject({ kind: 'merged', by: 'me' });
    expect(asked().filter((one) => one.endsWith('/merge'))).toHaveLength(2);
  });

  test('autoMerge where no pipeline comes merges then; a login that may not merge asks', async () => {
    await finished({ autoMerge: 'merge' });
    await inReview();
    expect(only()).toMatchObject({ state: 'open' });
    delete only().updatedAt;
    repo.autoMerge = false;
    await expect(land()).rejects.toThrow(
      /Merge request 1 is open, but its automatic merge cannot be asked for: .*ralphctl config reload/s,
    );
    repo.autoMerge = true;
    await inReview();
    expect(only()).toMatchObject({ state: 'closed', merged: { by: 'me' } });
  });

  test('settings of glab that an agent writes into the repository redirect nothing', async () => {
    await finished();
    const dir = await at.b.git('rev-parse', '--absolute-git-dir');
    await at.b.write({ 'glab-cli/config.yml': 'api_host: 127.0.0.1:1\n' }, dir);
    await chmod(join(dir, 'glab-cli', 'config.yml'), 0o600);
    await inReview();
  });

  test('what a stack needs: another base and text, no automatic merge, and whether the forge closed it', async () => {
    await finished();
    await inReview();
    const there = gitLab(
      { env: at.b.env, cwd: at.b.repo, passEnv: [] },
      { host: GITLAB_TEST_HOST, path: 'group/sub/shop' },
    );
    only().autoMerge = 'merge';
    const [listed] = await there.listOf('ralph/t-1');
    expect(listed).toMatchObject({ number: 1, base: 'main', armed: true });
    if (listed) await there.disarm(listed);
    await there.change(1, { base: 'ralph/t-0', body: 'Stands on !3.\n/close' });
    expect(only()).toMatchObject({ base: 'ralph/t-0', body: 'Stands on !3.\n\\/close', state: 'open' });
    expect(only().autoMerge).toBeUndefined();
    expect((await there.read(1))?.base).toBe('ralph/t-0');
    // GitLab leaves one open whose base is deleted: only people close it.
    closePull(repo, 1, 'ann');
    expect(await there.closedWithBase(1)).toBe(false);
  });

  test('what doctor says of the project', async () => {
    await finished();
    const place = { host: GITLAB_TEST_HOST, path: 'group/sub/shop' };
    const doctor = async (autoMerge: 'off' | 'merge' | 'squash' | 'rebase' = 'off', path = place.path) => {
      const asks = gitLab({ env: at.b.env, cwd: at.b.repo, passEnv: [] }, { ...place, path });
      const { state, found } = await asks.check('main', 'origin', autoMerge);
      return `${state}: ${found}`;
    };
    expect(await doctor()).toBe('ok: group/sub/shop on gitlab.localhost, onto main (not protected)');
    expect(await doctor('off', 'group/other')).toBe('fail: group/other is not there for this login');
    expect(await doctor('rebase')).toMatch(/^fail: .* merges with merge commits/);
    expect(await doctor('merge')).toMatch(/^warn: .* merges without a green pipeline/);
    repo.project = { only_allow_merge_if_pipeline_succeeds: true, squash_option: 'never', merge_method: 'ff' };
    expect(await doctor('merge')).toMatch(/^ok: /);
    expect(await doctor('squash')).toMatch(/^fail: .* allows no squash/);
    repo.project = { merge_requests_access_level: 'disabled' };
    expect(await doctor()).toMatch(/^fail: .* has no merge requests/);
    await as('stranger');
    expect(await doctor()).toBe('fail: stranger may not push to group/sub/shop: it needs the role Developer');
  });
});
