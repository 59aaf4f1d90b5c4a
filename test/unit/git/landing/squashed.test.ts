/** Several landings that a person made one commit of: each idea is taken back on its own, or refused. Features: C2 D1. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tickBacklog } from '../../../../src/backlog/mark.js';
import { goneOf } from '../../../../src/git/landing/gone.js';
import { landedCommits } from '../../../../src/git/landing/landed.js';
import { landedAfter } from '../../../../src/git/landing/landed-after.js';
import type { UndoOptions } from '../../../../src/git/landing/undo.js';
import { landWork, undoWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const FILE = 'roadmap.md';
const SIX = 'l1\nl2\nl3\nl4\nl5\nl6\n';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': SIX, [FILE]: '- [ ] **i-1**: one\n- [ ] **i-2**: two\n' });
});
afterEach(() => repo.remove());

const git = (...args: string[]) => sh(repo.root, ...args);
const tip = () => git('rev-parse', 'main');
const about = () => ({ repo: repo.root, target: 'main', backlogPath: FILE });
const landed = async () => Object.fromEntries(await landedCommits(repo.root, 'main', FILE));
const files = () => git('ls-tree', '-r', '--name-only', 'main');

/** Each by a slot of its own, each commit in a second of its own. */
async function land(idea: 'i-1' | 'i-2', ...steps: Record<string, string>[]): Promise<string> {
  const agentName = `ed-00${idea.at(-1)}`;
  const { path } = await worktreeOf(repo, idea, { agentName });
  for (const [n, changed] of steps.entries()) {
    await put(path, changed);
    await sh(path, 'add', '-A');
    const by = [`--author=${agentName} <${agentName}@ralphctl.invalid>`, `--date=2026-01-01T00:00:0${n}Z`];
    await sh(path, 'commit', '-q', ...by, '-m', `step ${n + 1} of ${idea}`);
  }
  const got = await landWork(repo, idea, {
    agentName,
    tick: async (look) => {
      const text = tickBacklog(FILE, (await look(FILE)) ?? '', idea);
      return text === undefined ? undefined : { path: FILE, text };
    },
  });
  if (got.kind !== 'landed') throw new Error(`expected landed, got ${JSON.stringify(got)}`);
  return got.commit;
}

/** The first has several commits. */
const both = async () => {
  await land('i-1', { 'one.txt': '1\n' }, { 'a.txt': SIX.replace('l1', 'one') });
  return land('i-2', { 'two.txt': '2\n', 'a.txt': SIX.replace('l1', 'one').replace('l6', 'two') });
};

/** Author, second and trailers are those that git leaves. */
const squash = (how = 'squash') =>
  git(
    '-c',
    `sequence.editor=sed -i.bak -e '2,$s/^pick/${how}/'`,
    '-c',
    'core.editor=true',
    'rebase',
    '-q',
    '-i',
    repo.base,
  );

async function inOne(...message: string[]): Promise<string> {
  await git('reset', '-q', '--soft', repo.base);
  await git('commit', '-q', ...message.flatMap((text) => ['-m', text]));
  return tip();
}

const undo = (idea: string, more: Partial<UndoOptions> = {}) =>
  undoWork(repo, idea, {
    backlog: { path: FILE, untick: (text) => tickBacklog(FILE, text, idea, { done: false }) },
    ...more,
  });

const SQUASHES: [string, () => Promise<unknown>][] = [
  ['by git rebase -i with squash, which leaves the trailer of the last', () => squash()],
  ['by git rebase -i with fixup, which leaves the trailer of the first', () => squash('fixup')],
  ['with the trailers of both', () => inOne('all in one', 'Ralph-Idea: i-1\nRalph-Idea: i-2')],
  ['with own words', () => inOne('all in one')],
  [
    'into a commit of their own',
    async () => {
      await commitFiles(repo.root, { 'mine.txt': 'mine\n' }, 'mine');
      await inOne('mine, too', 'Ralph-Idea: i-2');
    },
  ],
];

describe.each(SQUASHES)('C2 D1 two landings in one commit, %s', (_, make) => {
  it('each is taken back alone, in either order, and the other stays landed', async () => {
    await both();
    await make();
    const mine = (await files()).includes('mine.txt') ? ['mine.txt'] : [];
    const whole = await tip();

    expect(await undo('i-2')).toMatchObject({ kind: 'undone', commit: await tip() });
    expect((await files()).split('\n')).toEqual(['a.txt', ...mine, 'one.txt', FILE]);
    expect(await read(repo.root, 'a.txt')).toBe(SIX.replace('l1', 'one'));
    expect(await read(repo.root, FILE)).toBe('- [x] **i-1**: one\n- [ ] **i-2**: two\n');
    expect(await git('log', '-1', '--format=%b')).toMatch(/This takes back:\n- .*#i-2@ed-002\n\nRalph-Reverted: i-2/);
    expect(Object.keys(await landed())).toEqual(['i-1']);
    const recorded = new Map(['i-1', 'i-2'].map((idea) => [idea, undefined]));
    const told = (idea: string) => [{ idea, by: { subject: expect.stringMatching(/^revert: /) }, rolledBack: true }];
    expect(await goneOf(about(), recorded)).toMatchObject(told('i-2'));
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commit: await tip() });
    expect((await files()).split('\n')).toEqual(['a.txt', ...mine, FILE]);
    expect(await read(repo.root, 'a.txt')).toBe(SIX);
    expect(await landed()).toEqual({});
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commit: await tip() });
    expect(whole).not.toBe(await tip());
  });

  it('the first is taken back first, and views name its rollback; a revert of that brings it back', async () => {
    await both();
    await make();
    await commitFiles(repo.root, { 'later.txt': 'later\n' }, 'later');
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commit: await tip() });
    expect(await files()).not.toContain('one.txt');
    expect(await read(repo.root, 'a.txt')).toBe(SIX.replace('l6', 'two'));
    expect(await read(repo.root, 'two.txt')).toBe('2\n');
    expect(Object.keys(await landed())).toEqual(['i-2']);
    const recorded = new Map(['i-1', 'i-2'].map((idea) => [idea, undefined]));
    expect(await goneOf(about(), recorded)).toMatchObject([
      { idea: 'i-1', by: { commit: await tip() }, rolledBack: true },
    ]);
    await git('revert', '--no-edit', 'HEAD');
    expect(Object.keys(await landed()).sort()).toEqual(['i-1', 'i-2']);
    expect(await goneOf(about(), recorded)).toEqual([]);
  });
});

describe('C2 D1 an idea of a squash that cannot be taken back alone', () => {
  it('conflicts where the other builds on it, and goes after that one', async () => {
    await land('i-1', { 'one.txt': '1\n', 'a.txt': SIX.replace('l1', 'one') });
    await land('i-2', { 'a.txt': SIX.replace('l1', 'one and two') });
    await squash();
    const before = await tip();
    expect(await undo('i-1')).toMatchObject({ kind: 'conflict', files: ['a.txt'] });
    expect(await landedAfter(about(), 'i-1', ['a.txt'])).toEqual(['i-2']);
    expect(await tip()).toBe(before);
    expect(await undo('i-2')).toMatchObject({ kind: 'undone' });
    expect(await read(repo.root, 'a.txt')).toBe(SIX.replace('l1', 'one'));
    expect(await undo('i-1')).toMatchObject({ kind: 'undone' });
    expect(await read(repo.root, 'a.txt')).toBe(SIX);
  });

  it.each([
    [
      'its landing is not known: a clone has no claims, and git keeps the messages',
      'nothing here knows the landing of i-2',
      async () => {
        for (const idea of ['i-1', 'i-2']) await git('update-ref', '-d', `refs/ralphctl/landing/${idea}`);
      },
    ],
    [
      'its landing is not known: its own claim is lost',
      'nothing here knows the landing of i-2',
      () => git('update-ref', '-d', 'refs/ralphctl/landing/i-2'),
    ],
    [
      'the person gave it another content',
      'has i-2 otherwise than it landed',
      async () => {
        await git('rm', '-q', 'two.txt');
        await git('commit', '-q', '--amend', '--no-edit');
      },
    ],
  ])('is refused by the name of the other where %s', async (_, why, lose) => {
    await both();
    await squash();
    await lose();
    const before = await tip();
    await expect(undo('i-2')).rejects.toThrow(
      `the commit ${before.slice(0, 8)} on main also has the work of i-1, and ${why}. Take i-2 off by hand: git show ${before.slice(0, 8)}`,
    );
    expect(await tip()).toBe(before);
  });

  it('is known by the record of the run without its claim', async () => {
    const commit = await both();
    await squash();
    await git('update-ref', '-d', 'refs/ralphctl/landing/i-2');
    expect(await undo('i-2', { commit })).toMatchObject({ kind: 'undone' });
    expect(await read(repo.root, 'one.txt')).toBe('1\n');
  });
});

it('C2 D1 what another machine landed of an idea goes whole, whatever claims are here', async () => {
  await both();
  await git('reset', '-q', '--hard', repo.base);
  await put(repo.root, { 'other.txt': 'o\n', 'three.txt': '3\n' });
  await git('add', '-A');
  await git('commit', '-q', '-m', 'feat: do i-2\n\nRalph-Idea: i-2');
  expect(await undo('i-2')).toMatchObject({ kind: 'undone' });
  expect(await files()).toBe(`a.txt\n${FILE}`);
});
