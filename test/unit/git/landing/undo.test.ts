/** Taking a landed idea back, whichever strategy landed it and whatever landed after it. Features: C2 D1. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tickBacklog } from '../../../../src/backlog/mark.js';
import type { LandOptions } from '../../../../src/git/landing/land.js';
import { landedIdeas } from '../../../../src/git/landing/landed.js';
import type { UndoOptions } from '../../../../src/git/landing/undo.js';
import { landWork, undoWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, put, RED, read, sh, type TestRepo } from '../repo.js';

const ROADMAP = ['- [ ] **i-1**: one', '- [ ] **i-2**: two', '- [ ] **i-3**: three', ''].join('\n');
const FILE = 'roadmap.md';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'b.txt': 'bee\n', '.gitignore': 'node_modules/\n', [FILE]: ROADMAP });
});
afterEach(() => repo.remove());

const tip = (ref = 'main') => sh(repo.root, 'rev-parse', ref);
const files = async (ref: string): Promise<string> => sh(repo.root, 'ls-tree', '-r', ref);

async function work(idea: string, ...commits: Array<Record<string, string>>): Promise<string> {
  const { path } = await worktreeOf(repo, idea);
  for (const [n, changed] of commits.entries()) await commitFiles(path, changed, `step ${n + 1} of ${idea}`);
  return path;
}

async function land(idea: string, more: Partial<LandOptions> = {}): Promise<string> {
  const got = await landWork(repo, idea, {
    tick: async (look) => {
      const text = tickBacklog(FILE, (await look(FILE)) ?? '', idea);
      return text === undefined ? undefined : { path: FILE, text };
    },
    ...more,
  });
  if (got.kind !== 'landed') throw new Error(`expected landed, got ${JSON.stringify(got)}`);
  return got.commit;
}

const undo = (idea: string, more: Partial<UndoOptions> = {}) =>
  undoWork(repo, idea, {
    title: `feat: Do ${idea}`,
    backlog: { path: FILE, untick: (text) => tickBacklog(FILE, text, idea, { done: false }) },
    ...more,
  });

describe.each(['rebase', 'merge', 'squash'] as const)('C2 undo of an idea landed by %s', (strategy) => {
  it('takes exactly its commits and its tick back, in one commit, while ideas that landed before and after stay', async () => {
    await work('i-1', { 'one.txt': '1\n' });
    await land('i-1', { strategy });
    await work('i-2', { 'a.txt': 'two\n', 'new.txt': 'n\n' }, { 'b.txt': 'changed\n' });
    await work('i-3', { 'three.txt': '3\n' });
    await land('i-2', { strategy });
    const last = await land('i-3', { strategy });
    const gated: string[] = [];
    const got = await undo('i-2', {
      gate: async (dir) => {
        gated.push(await read(dir, 'a.txt'), await read(dir, 'three.txt'));
        return GREEN;
      },
    });
    const commits = { rebase: 2, merge: 3, squash: 1 }[strategy];
    expect(got).toEqual({ kind: 'undone', commit: await tip(), commits, durationMs: expect.any(Number) });
    expect(await sh(repo.root, 'rev-parse', 'main^')).toBe(last);
    expect(gated).toEqual(['one\n', '3\n']);
    expect(await files('main')).toContain('one.txt');
    expect(await files('main')).toContain('three.txt');
    expect(await files('main')).not.toContain('new.txt');
    expect(await read(repo.root, 'b.txt')).toBe('bee\n');
    expect(await read(repo.root, FILE)).toBe(
      ROADMAP.replace('[ ] **i-1', '[x] **i-1').replace('[ ] **i-3', '[x] **i-3'),
    );
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
    expect((await landedIdeas(repo.root, 'main')).sort()).toEqual(['i-1', 'i-3']);
    const message = await sh(repo.root, 'log', '-1', '--format=%B');
    expect(message.split('\n')[0]).toBe('revert: do i-2 #i-2@ed-001');
    expect(message).toContain('Ralph-Reverted: i-2\nRalph-Slot: ed-001');
  });

  it('lets it land again, and be taken back again', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1', { strategy });
    await undo('i-1');
    expect(await landedIdeas(repo.root, 'main')).toEqual([]);
    await work('i-1', { 'a.txt': 'two\n' });
    const again = await land('i-1', { strategy });
    expect(await tip()).toBe(again);
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-1']);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commit: await tip() });
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await read(repo.root, FILE)).toBe(ROADMAP);
  });
});

describe('C2 undo that cannot be', () => {
  it('what landed later stands on it: a conflict with the files, and nothing moves', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await work('i-2', { 'a.txt': 'two and more\n' });
    const before = await land('i-2');
    const got = await undo('i-1');
    expect(got).toMatchObject({ kind: 'conflict', files: ['a.txt'], onto: before });
    expect(got.kind === 'conflict' && got.detail).toContain('two and more');
    expect(await tip()).toBe(before);
    expect((await landedIdeas(repo.root, 'main')).sort()).toEqual(['i-1', 'i-2']);
    expect(await read(repo.root, FILE)).toContain('[x] **i-1**');
  });

  it('the target is red without it: nothing moves', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    const before = await land('i-1');
    const got = await undo('i-1', { gate: async () => RED });
    expect(got).toMatchObject({ kind: 'red', onto: before, gate: { pass: false } });
    expect(await tip()).toBe(before);
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  });

  it('a person took it off already, which no commit claims; an idea that changed nothing is taken off', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await sh(repo.root, 'revert', '--no-edit', 'HEAD');
    const before = await tip();
    const gate = () => Promise.reject(new Error('nothing to gate'));
    expect(await undo('i-1', { gate })).toEqual({ kind: 'nothing' });
    expect(await tip()).toBe(before);
    await sh(repo.root, 'commit', '-q', '--allow-empty', '-m', 'chore: nothing to change\n\nRalph-Idea: i-2');
    expect(await landedIdeas(repo.root, 'main', FILE)).toContain('i-2');
    expect(await undo('i-2')).toMatchObject({ kind: 'undone' });
    expect(await landedIdeas(repo.root, 'main', FILE)).not.toContain('i-2');
  });

  it('a person amended its commit in a checkout that lags, or gave it other words', async () => {
    const before = await sh(repo.root, 'rev-parse', 'main');
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await work('i-2', { 'b.txt': 'two\n' });
    const landed = await land('i-2');
    await sh(repo.root, 'read-tree', '-u', '--reset', before);
    await put(repo.root, { 'a.txt': 'mine\n' });
    await sh(repo.root, 'commit', '-q', '-a', '--amend', '--no-edit');
    const amended = await tip();
    expect(await undo('i-2')).toEqual({ kind: 'nothing' });
    expect(await tip()).toBe(amended);
    // Without its name, and an edit of a person in the same commit.
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'my old files');
    expect(await undo('i-2')).toEqual({ kind: 'nothing' });
    expect(await read(repo.root, 'a.txt')).toBe('mine\n');
    await sh(repo.root, 'reset', '-q', '--hard', landed);
    await put(repo.root, { 'mine.txt': 'mine\n' });
    await sh(repo.root, 'add', 'mine.txt');
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'my words and my file');
    expect(await undo('i-2')).toMatchObject({ kind: 'undone', commits: 1 });
    expect([await read(repo.root, 'mine.txt'), await read(repo.root, 'b.txt')]).toEqual(['mine\n', 'bee\n']);
    await sh(repo.root, 'reset', '-q', '--hard', landed);
    await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-2', landed);
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'my own words');
    expect(await undo('i-2')).toMatchObject({ kind: 'undone', commits: 1 });
    expect([await read(repo.root, 'a.txt'), await read(repo.root, 'b.txt')]).toEqual(['two\n', 'bee\n']);
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual(['i-1']);
  });

  it('a person deleted its file, and left the tick: the record and the tick are taken back', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await sh(repo.root, 'rm', '-q', 'a.txt');
    await sh(repo.root, 'commit', '-q', '-m', 'removed');
    const removed = await tip();
    expect(await sh(repo.root, 'show', `main:${FILE}`)).toContain('[x] **i-1**');
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commits: 1 });
    expect(await sh(repo.root, 'diff', '--name-only', removed, 'main')).toBe(FILE);
    expect(await sh(repo.root, 'show', `main:${FILE}`)).toContain('[ ] **i-1**');
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual([]);
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
    await work('i-1', { 'c.txt': 'again\n' });
    expect(await land('i-1')).toBeDefined();
  });

  it('nothing of it is on the target', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    for (const idea of ['i-2', 'i-', 'i-11', 'i.1']) expect(await undo(idea)).toEqual({ kind: 'nothing' });
  });
});

describe('C2 undo when things go on meanwhile', () => {
  it('follows a target that moves during the gate', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    let theirs = '';
    const got = await undo('i-1', {
      gate: async () => {
        theirs ||= await commitFiles(repo.root, { 'b.txt': 'theirs\n' }, 'theirs');
        return GREEN;
      },
    });
    expect(got).toMatchObject({ kind: 'undone', commit: await tip() });
    expect(await sh(repo.root, 'rev-parse', 'main^')).toBe(theirs);
    expect(await read(repo.root, 'b.txt')).toBe('theirs\n');
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
  });

  it('after a crash behind the swap, the second try says what the first one did', async () => {
    await work('i-1', { 'a.txt': 'two\n' }, { 'b.txt': 'too\n' });
    await land('i-1');
    const first = await undo('i-1');
    const again = await undo('i-1', { gate: () => Promise.reject(new Error('no second gate')) });
    expect(again).toMatchObject({ kind: 'undone', commits: 2, commit: first.kind === 'undone' && first.commit });
    expect(await sh(repo.root, 'rev-list', '--count', 'main')).toBe('4');
  });

  it('C1 brings a checkout with edits along, and leaves it where they overlap', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await put(repo.root, { 'b.txt': 'my edit\n', 'a.txt': 'mine, too\n' });
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', note: expect.stringContaining('ralphctl sync') });
    expect(await read(repo.root, 'a.txt')).toBe('mine, too\n');
    expect(await sh(repo.root, 'show', 'main:a.txt')).toBe('one');
    await sh(repo.root, 'reset', '-q', '--hard');
    await work('i-2', { 'a.txt': 'three\n' });
    await land('i-2');
    await put(repo.root, { 'b.txt': 'my edit\n' });
    expect(await undo('i-2')).not.toHaveProperty('note', expect.anything());
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M b.txt');
  });

  it('a person reverted the files already: the record and the tick are taken back', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await commitFiles(repo.root, { 'a.txt': 'one\n' }, 'by hand');
    expect(await undo('i-1')).toMatchObject({ kind: 'undone' });
    expect(await landedIdeas(repo.root, 'main')).toEqual([]);
    expect(await read(repo.root, FILE)).toBe(ROADMAP);
  });

  it('C2 a rollback that somebody reverted: the idea counts as landed again, and is rolled back again', async () => {
    await work('i-1', { 'a.txt': 'two\n', 'näu.txt': 'n\n' }, { 'b.txt': 'too\n' });
    await land('i-1');
    await work('i-2', { 'c.txt': 'c\n' });
    await land('i-2');
    await undo('i-1');
    await commitFiles(repo.root, { 'd.txt': 'd\n' }, 'an edit beside it');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-2']);
    await sh(repo.root, 'revert', '--no-edit', 'HEAD~1');
    expect((await landedIdeas(repo.root, 'main')).sort()).toEqual(['i-1', 'i-2']);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commits: 2, commit: await tip() });
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await read(repo.root, 'b.txt')).toBe('bee\n');
    expect(await read(repo.root, FILE)).toBe(ROADMAP.replace('[ ] **i-2', '[x] **i-2'));
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-2']);
    // And once more: the second rollback is reverted, too.
    await sh(repo.root, 'revert', '--no-edit', 'HEAD');
    expect((await landedIdeas(repo.root, 'main')).sort()).toEqual(['i-1', 'i-2']);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commits: 2 });
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await undo('i-1', { gate: () => Promise.reject(new Error('no second gate')) })).toMatchObject({
      kind: 'undone',
      commit: await tip(),
    });
  });

  it('C2 a rollback that somebody reverted before the idea landed again: both landings are rolled back', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await undo('i-1');
    await sh(repo.root, 'revert', '--no-edit', 'HEAD');
    await work('i-1', { 'c.txt': 'c\n' });
    await land('i-1');
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commits: 2 });
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await files('main')).not.toContain('c.txt');
  });

  it('C2 a rollback that only noted what a person had reverted, and the person brought the work back', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    const byHand = await commitFiles(repo.root, { 'a.txt': 'one\n' }, 'by hand');
    await undo('i-1');
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual([]);
    await sh(repo.root, 'revert', '--no-edit', byHand);
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual(['i-1']);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone', commit: await tip() });
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
  });

  it('C2 a file that is only renamed after a rollback does not bring the idea back', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await undo('i-1');
    await sh(repo.root, 'mv', 'a.txt', 'g.txt');
    await sh(repo.root, 'commit', '-q', '-m', 'a better name');
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual([]);
    expect(await undo('i-1', { gate: () => Promise.reject(new Error('nothing to gate')) })).toMatchObject({
      commit: await tip('main~1'),
    });
  });

  it('C2 a rollback that somebody reverted counts as reverted, also after its file got another name', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    await undo('i-1');
    await sh(repo.root, 'revert', '--no-edit', 'HEAD');
    await sh(repo.root, 'mv', 'a.txt', 'g.txt');
    await sh(repo.root, 'commit', '-q', '-m', 'a better name');
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual(['i-1']);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone' });
    expect(await read(repo.root, 'g.txt')).toBe('one\n');
  });

  it('C2 other work on the files of a rollback does not bring the idea back', async () => {
    await work('i-1', { 'a.txt': 'two\n', 'c.txt': 'c\n' });
    await land('i-1');
    await undo('i-1');
    await commitFiles(repo.root, { 'a.txt': 'three\n', 'c.txt': 'other\n' }, 'went on');
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual([]);
    await commitFiles(repo.root, { 'a.txt': 'two\n' }, 'half of it');
    expect(await landedIdeas(repo.root, 'main', FILE)).toEqual([]);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone' });
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
  });

  it('finds it behind a merge that a person made, and by its commit when the trailers were rewritten away', async () => {
    const start = await tip();
    await work('i-1', { 'a.txt': 'two\n' });
    const commit = await land('i-1');
    await sh(repo.root, 'switch', '-q', '-c', 'release', start);
    await commitFiles(repo.root, { 'c.txt': 'c\n' }, 'release work');
    await sh(repo.root, 'merge', '-q', '--no-edit', 'main');
    expect(await undo('i-1', { target: 'release' })).toMatchObject({ kind: 'undone', commits: 1 });
    expect(await sh(repo.root, 'show', 'release:a.txt')).toBe('one');
    expect(await sh(repo.root, 'show', 'release:c.txt')).toBe('c');

    await sh(repo.root, 'switch', '-q', 'main');
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'squashed by hand #i-1');
    const amended = await tip();
    // The reflog would say that it was the landing.
    await rm(join(repo.root, '.git/logs/refs/heads/main'));
    expect(await undo('i-1', { commit })).toEqual({ kind: 'nothing' });
    expect(await undo('i-1', { commit: amended })).toMatchObject({ kind: 'undone', commits: 1 });
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
  });
});

describe('C2 D1 a mark of another idea that an agent wrote into its subject', () => {
  const forged = 'feat: take #i-2@ed-002 over';
  it.each(['rebase', 'merge', 'squash'] as const)('is no landing of that idea, landed by %s', async (strategy) => {
    const { path } = await worktreeOf(repo, 'i-1');
    await commitFiles(path, { 'one.txt': '1\n' }, `${forged}\n\nRalph-Idea: i-2\n`);
    const commit = await land('i-1', { strategy, title: forged });
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-1']);
    expect(await undo('i-2', { commit })).toMatchObject({ kind: 'nothing' });
    expect(await tip()).toBe(commit);
    expect(await undo('i-1')).toMatchObject({ kind: 'undone' });
  });

  it('is no commit of that idea either where a person took the trailers off', async () => {
    await work('i-1', { 'one.txt': '1\n' });
    await land('i-1');
    await sh(repo.root, 'commit', '-q', '--amend', '-m', `${forged} #i-1@ed-001 (#12)`);
    const amended = await tip();
    expect(await undo('i-2', { commit: amended })).toMatchObject({ kind: 'nothing' });
    expect(await tip()).toBe(amended);
    expect(await undo('i-1', { commit: amended })).toMatchObject({ kind: 'undone', commits: 1 });
  });
});
