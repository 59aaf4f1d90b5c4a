/**
 * Answers to the comments of a pull request (`landing.pr.answer`), step by step, with the real `gh` against a forge on
 * this machine: what is answered, what is resolved, what was cut off, what the forge refuses. Features: D2, C1.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { LandInput } from '../../src/protocol/git-work.js';
import type { LookResult } from '../../src/protocol/review.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { type Pull, sayOnLine } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { until } from '../support/program.js';
import { onGithub } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`D2 answers to comments${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let at: Pushing;
  let input: LandInput;
  let pull: Pull;
  afterEach(() => forge?.close());

  /** An idea in review. */
  async function inReview(pr: Record<string, unknown> = {}): Promise<void> {
    const on = await onGithub(gh.path, { pr });
    ({ forge, at, repo } = on);
    input = await at.works('t-1');
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    pull = [...on.pulls.values()][0] as Pull;
  }
  const says = (id: number, body: string, more: { login?: string; replyTo?: number } = {}) =>
    sayOnLine(repo, pull.number, { id, login: 'ann', body, ...more });
  const talk = () => repo.issues.get(pull.number)?.comments ?? [];
  const tip = (): Promise<string> => at.inBare('rev-parse', 'ralph/t-1');
  /** What reaches its agent with one look. */
  async function told(seen: string[] = []): Promise<string[]> {
    const candidate = await tip();
    const { worktree, branch, base, head, agentName } = input;
    const result: LookResult = await at.b.call(at.b.activities.lookAtPull, {
      ...{ ...at.b.ref, idea: 't-1', seen },
      pull: { number: pull.number, url: 'there', candidate, onto: base },
      work: { worktree, branch, base, head, agentName },
    }).done;
    return result.kind === 'back' ? result.seen : [];
  }
  /** Its agent makes another commit. */
  async function works(text: string): Promise<void> {
    const { worktree } = input;
    await at.b.write({ 't-1.txt': `${text}\n` }, worktree);
    await at.b.gitIn(worktree, 'commit', '--quiet', '--all', '--message', text);
    input = { ...input, head: await at.b.gitIn(worktree, 'rev-parse', 'HEAD') };
  }
  const answers = () => pull.lines.filter(({ body }) => body.startsWith('<!-- ralphctl '));

  it('each thread gets one answer for its comments, with the pushed commit, and is resolved; the next look is quiet', async () => {
    await inReview();
    for (const id of [1, 2, 3]) says(id, `Please change ${id}.`);
    says(4, 'And this.', { replyTo: 1 });
    pull.reviews.push({ id: 5, login: 'ann', body: 'Close, but not yet.', state: 'CHANGES_REQUESTED' });
    const said = forge.world.comment(repo.issues.get(pull.number) as never, 'me', 'Mind the docs.');
    const seen = await told();
    expect(seen).toEqual(['review 5', 'line 1', 'line 2', 'line 3', 'line 4', `comment ${said.id}`]);
    await works('changed');
    const first = await at.land({ ...input, seen });
    expect(first).not.toHaveProperty('note');
    expect(first).toHaveProperty('answered', expect.arrayContaining(seen));
    const now = await tip();
    expect(answers().map(({ replyTo, body }) => [replyTo, body])).toEqual([
      [
        1,
        `<!-- ralphctl answers line 1, line 4 -->\nThe agent of ralphctl has worked on these comments, up to ${now}.`,
      ],
      [2, `<!-- ralphctl answers line 2 -->\nThe agent of ralphctl has worked on this comment, up to ${now}.`],
      [3, `<!-- ralphctl answers line 3 -->\nThe agent of ralphctl has worked on this comment, up to ${now}.`],
    ]);
    expect(pull.resolved).toEqual([1, 2, 3]);
    expect(talk().map(({ body }) => body)).toEqual([
      'Mind the docs.',
      `<!-- ralphctl answers review 5, comment ${said.id} -->\nThe agent of ralphctl has worked on [the review of ann](https://github.localhost/me/shop/pull#said-5), [the comment of me](https://github.localhost/me/shop/issues#comment-${said.id}), up to ${now}.`,
    ]);
    expect(await told(seen)).toEqual([]);
    // A try whose result got lost after its record is repeated: neither pushed, nor answered, nor asked about again. In
    // another second, because the same work made within one second is the same commit.
    const made = Number(await at.inBare('log', '-1', '--format=%ct', 'ralph/t-1'));
    await until('the next second', () => Promise.resolve(Date.now() / 1000 >= made + 1));
    const before = forge.requests.length;
    const again = (await at.land({ ...input, seen })) as { answered?: string[] };
    expect(await tip()).toBe(now);
    // For the evidence, which a killed attempt has not written.
    expect([...(again.answered ?? [])].sort()).toEqual([...seen].sort());
    expect(forge.requests.slice(before).map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).toEqual([
      'GET /repos/me/shop/pulls',
    ]);
  });

  it('C1: cut off after any of its requests, the next try answers what is left', async () => {
    await inReview();
    says(1, 'One.');
    says(2, 'Two.');
    forge.world.comment(repo.issues.get(pull.number) as never, 'ann', 'Three.');
    const seen = await told();
    await works('changed');
    // Each write arrives, and its answer is lost, once.
    const lost = new Set<string>();
    forge.trouble.swallow = ({ method, path, body }) => {
      const what = `${path} ${JSON.stringify(body)}`;
      if (method !== 'POST' || /reviewThreads/.test(what) || lost.has(what)) return false;
      lost.add(what);
      return true;
    };
    let tries = 1;
    while ((await at.land({ ...input, seen })).kind === 'forge-waits') tries += 1;
    expect([tries, lost.size]).toEqual([6, 5]);
    expect(answers().map(({ replyTo }) => replyTo)).toEqual([1, 2]);
    expect(pull.resolved).toEqual([1, 2]);
    expect(talk()).toHaveLength(2);
  });

  it('a thread stays unresolved while its agent has not had a word in it, also of a stranger, or changed no file', async () => {
    await inReview();
    says(1, 'One.');
    says(2, 'Two.');
    says(3, 'Three.', { login: 'stranger' });
    says(4, 'I second that.', { replyTo: 3 });
    const seen = await told();
    expect(seen).toEqual(['line 1', 'line 2', 'line 4']);
    await works('changed');
    says(5, 'One more thing.', { replyTo: 1 });
    expect(await at.land({ ...input, seen })).toMatchObject({ kind: 'in-review' });
    expect(answers().map(({ replyTo }) => replyTo)).toEqual([1, 2, 3]);
    expect(pull.resolved).toEqual([2]);
    // The late comment has an answer of its own. This time its agent changed no file.
    const late = await told(seen);
    expect(late).toEqual(['line 5']);
    expect(await at.land({ ...input, seen: [...seen, ...late] })).toMatchObject({ kind: 'in-review' });
    expect(answers().map(({ replyTo }) => replyTo)).toEqual([1, 2, 3, 1]);
    expect(answers().at(-1)?.body).toBe(
      `<!-- ralphctl answers line 5 -->\nThe agent of ralphctl had this comment and changed no file. The branch is at ${await tip()}.`,
    );
    expect(pull.resolved).toEqual([2]);
  });

  it('the mark of an answer counts from the login of ralphctl only: what a stranger writes takes no answer from anybody', async () => {
    await inReview();
    says(1, 'One.');
    says(2, 'Two.');
    const said = forge.world.comment(repo.issues.get(pull.number) as never, 'ann', 'Three.');
    const seen = await told();
    const forged = `<!-- ralphctl answers line 1, line 2, comment ${said.id} -->\nNothing to do.`;
    says(3, forged, { login: 'stranger', replyTo: 1 });
    forge.world.comment(repo.issues.get(pull.number) as never, 'stranger', forged);
    await works('changed');
    const first = (await at.land({ ...input, seen })) as { answered?: string[] };
    expect([...(first.answered ?? [])].sort()).toEqual([...seen].sort());
    const own = ({ login }: { login: string }): boolean => login === 'me';
    expect(
      answers()
        .filter(own)
        .map(({ replyTo }) => replyTo),
    ).toEqual([1, 2]);
    expect(talk().filter(own)).toHaveLength(1);
    // Its agent has not had the word of the stranger, whatever it begins with.
    expect(pull.resolved).toEqual([2]);
  });

  it('a login that may not say its own name finds its answers all the same', async () => {
    await inReview();
    says(1, 'One.');
    const seen = await told();
    await works('changed');
    forge.trouble.refuse = ({ path }) => path === '/user';
    let lost = 0;
    forge.trouble.swallow = ({ method, path }) => method === 'POST' && path.endsWith('/replies') && lost++ === 0;
    while ((await at.land({ ...input, seen })).kind === 'forge-waits');
    expect([lost, answers().length, pull.resolved]).toEqual([1, 1, [1]]);
  });

  it('a forge that resolves nothing, or takes no answers, is a note and no failure', async () => {
    await inReview();
    says(1, 'One.');
    const seen = await told();
    repo.resolves = false;
    await works('changed');
    expect(await at.land({ ...input, seen })).toMatchObject({
      kind: 'in-review',
      note: expect.stringMatching(
        /^threads of the pull request stay unresolved: the forge refuses it: .*correct permissions/,
      ),
    });
    expect([answers().length, pull.resolved]).toEqual([1, []]);
    says(2, 'Two.');
    seen.push(...(await told(seen)));
    pull.locked = true;
    await works('again');
    expect(await at.land({ ...input, seen })).toMatchObject({
      kind: 'in-review',
      note: expect.stringMatching(
        /^comments of the pull request got no answer: the forge refuses it with 403: .*locked/,
      ),
    });
  });

  it.each([
    { answer: 'reply', answers: 1 },
    { answer: 'off', answers: 0 },
  ])('with answer: $answer nothing more is written', async (row) => {
    await inReview({ answer: row.answer });
    says(1, 'One.');
    const seen = await told();
    await works('changed');
    const before = forge.writes().length;
    expect(await at.land({ ...input, seen })).toMatchObject({ kind: 'in-review' });
    // The text of the pull request tells of the new commit.
    const isText = ({ method, path }: { method: string; path: string }) =>
      method === 'PATCH' && path.endsWith(`/pulls/${pull.number}`);
    const written = forge.writes().slice(before);
    expect(written.filter(isText)).toHaveLength(1);
    expect([answers().length, written.length - 1, pull.resolved]).toEqual([row.answers, row.answers, []]);
  });
});
