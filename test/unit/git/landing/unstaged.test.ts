/** A checkout that lags, and whose index a person brings along without its files: it still counts as behind (C1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const lines = (edits: Record<number, string> = {}): string =>
  Array.from({ length: 30 }, (_, at) => `${edits[at + 1] ?? at + 1}\n`).join('');
const MINE = lines({ 20: 'mine' });
const BOTH = lines({ 1: 'agent', 20: 'mine' });

const ROADMAP = '- [ ] i-1\n\nend\n\n\n\n\ntext\n';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ shared: lines(), 'roadmap.md': ROADMAP });
});
afterEach(() => repo.remove());

async function land(idea: string, files: Record<string, string>): Promise<void> {
  const { path } = await worktreeOf(repo, idea);
  await put(path, files);
  await sh(path, 'add', '-A');
  await sh(path, 'commit', '-qm', 'step');
  expect(await landWork(repo, idea)).toMatchObject({ kind: 'landed' });
}
/** The person edits line 20 of a file whose line 1 lands. */
async function lag(more: Record<string, string> = { 'new.txt': 'new\n' }): Promise<void> {
  await put(repo.root, { shared: MINE });
  await land('i-1', { ...more, shared: lines({ 1: 'agent' }) });
  expect(await read(repo.root, 'shared')).toBe(MINE);
}
const behind = (): Promise<string[]> => checkoutsBehind(repo.root, 'main');

describe.each([
  ['git restore --staged', [['restore', '--staged', '.']]],
  ['git reset', [['reset', '-q']]],
  [
    'a stash that comes back',
    [
      ['stash', '-q'],
      ['stash', 'pop', '-q'],
    ],
  ],
])('after %s', (_, commands) => {
  it.each([
    ['a new file', { 'new.txt': 'new\n' }],
    ['nothing but the edited file', {}],
  ])('is told, and sync brings it along: %s', async (__, more: Record<string, string>) => {
    await lag(more);
    for (const command of commands) await sh(repo.root, ...command);
    expect(await behind()).toEqual([expect.stringContaining('ralphctl sync')]);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await read(repo.root, 'shared')).toBe(BOTH);
    expect(await behind()).toEqual([]);
    await sh(repo.root, 'commit', '-qam', 'mine');
    expect(await sh(repo.root, 'show', 'main:shared')).toBe(BOTH.trimEnd());
    if ('new.txt' in more) expect(await sh(repo.root, 'show', 'main:new.txt')).toBe('new');
  });

  it('the next landing leaves it as it is, and sync has both', async () => {
    await lag();
    for (const command of commands) await sh(repo.root, ...command);
    await land('i-2', { 'second.txt': 'second\n' });
    expect(await read(repo.root, 'shared')).toBe(MINE);
    expect(await behind()).toEqual([expect.stringContaining('ralphctl sync')]);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await read(repo.root, 'shared')).toBe(BOTH);
    expect(await read(repo.root, 'new.txt')).toBe('new\n');
    expect(await read(repo.root, 'second.txt')).toBe('second\n');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M shared');
  });
});

it('is told where a person brought most paths along, but not all', async () => {
  await lag({ 'n-1': '1\n', 'n-2': '2\n' });
  await sh(repo.root, 'checkout', 'HEAD', '--', 'n-1', 'n-2');
  expect(await behind()).toEqual([expect.stringContaining('ralphctl sync')]);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
  expect(await read(repo.root, 'shared')).toBe(BOTH);
});

it('is not told once a person has brought the files along: later edits are edits', async () => {
  await lag();
  await sh(repo.root, 'restore', '--staged', '--worktree', '.');
  expect(await behind()).toEqual([]);
  await put(repo.root, { shared: BOTH, 'new.txt': 'newer\n' });
  expect(await behind()).toEqual([]);
  await put(repo.root, { shared: lines({ 1: 'agent, and me' }) });
  expect(await behind()).toEqual([]);
  expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  expect(await read(repo.root, 'shared')).toBe(lines({ 1: 'agent, and me' }));
});

it('an ignored file in the place of a landed folder stays, also where a landing or sync could bring the rest along', async () => {
  await put(repo.root, { '.gitignore': 'data\n' });
  await sh(repo.root, 'add', '.gitignore');
  await sh(repo.root, 'commit', '-qm', 'ignore');
  await put(repo.root, { data: 'precious\n', 'roadmap.md': ROADMAP.replace('text', 'my text') });
  const { path } = await worktreeOf(repo, 'i-1');
  await put(path, { 'data/x': 'x\n', 'roadmap.md': ROADMAP.replace('[ ]', '[x]') });
  await sh(path, 'add', '-Af');
  await sh(path, 'commit', '-qm', 'step');
  expect(await landWork(repo, 'i-1', { backlogPath: 'roadmap.md' })).toMatchObject({
    kind: 'landed',
    note: expect.stringContaining('untracked data'),
  });
  expect(await read(repo.root, 'data')).toBe('precious\n');
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow('ntracked data');
  expect(await read(repo.root, 'data')).toBe('precious\n');
});
