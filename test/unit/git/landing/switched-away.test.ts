/**
 * A checkout that lags, and that its person switches to another branch (C1): git takes staged and edited paths along, so the
 * old versions of landed files may be staged there, too. A commit of them would take the landed work off with the merge.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allBehind, checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

const lines = (edits: Record<number, string> = {}): string =>
  Array.from({ length: 30 }, (_, at) => `${edits[at + 1] ?? at + 1}\n`).join('');
const MINE = lines({ 20: 'mine' });
const BOTH = lines({ 1: 'agent', 20: 'mine' });

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ shared: lines(), 'other.txt': 'o\n', 'roadmap.md': '- [ ] i-1\n' });
  await sh(repo.root, 'branch', 'before');
});
afterEach(() => repo.remove());

async function land(idea: string, files: Record<string, string>) {
  const { path } = await worktreeOf(repo, idea);
  await commitFiles(path, files, 'step');
  const landed = await landWork(repo, idea);
  expect(landed).toMatchObject({ kind: 'landed' });
  return landed;
}
/** The person edits line 20 of a file whose line 1 lands. */
async function lag(): Promise<void> {
  await put(repo.root, { shared: MINE });
  await land('i-1', { shared: lines({ 1: 'agent' }), 'new.txt': 'new\n' });
  expect(await read(repo.root, 'shared')).toBe(MINE);
  await sh(repo.root, 'branch', 'after', 'main');
}
const run = async (commands: readonly string[]): Promise<void> => {
  for (const command of commands) await sh(repo.root, ...command.split(' '));
};
const remembered = () => sh(repo.root, 'for-each-ref', '--format=%(refname)', 'refs/ralphctl/checkout-base');

describe.each([
  ['a new branch', 'feature', ['switch -qc feature']],
  ['a branch with the landed work', 'after', ['switch -q after']],
  ['no branch', 'no branch', ['switch -q --detach']],
  ['a new branch, unstaged', 'feature', ['reset -q', 'switch -qc feature']],
  ['a branch, with a stash that comes back', 'after', ['stash -q', 'switch -q after', 'stash pop -q']],
])('to %s, where it keeps the old files', (_, place, commands) => {
  it('is told, and sync brings them along there: a commit takes nothing off', async () => {
    await lag();
    await run(commands);
    for (const texts of [await checkoutsBehind(repo.root, 'main'), await allBehind(repo.root)]) {
      expect(texts).toHaveLength(1);
      expect(texts[0]).toContain(
        `${repo.root} still has the old new.txt and 1 more, because a switch to ${place} took`,
      );
      expect(texts[0]).toMatch(/First run: ralphctl sync/);
    }
    const branch = await sh(repo.root, 'branch', '--show-current');
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ checkout: repo.root, conflicts: [] });
    expect(await sh(repo.root, 'branch', '--show-current')).toBe(branch);
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M shared');
    expect(await read(repo.root, 'shared')).toBe(BOTH);
    expect([await allBehind(repo.root), await remembered()]).toEqual([[], '']);
    await sh(repo.root, 'commit', '-qam', 'mine');
    expect(await sh(repo.root, 'diff', '--name-only', 'main', 'HEAD')).toBe('shared');
  });

  it('is told while the target moves on, by the landing, too, and sync brings along what that branch has', async () => {
    await lag();
    await run(commands);
    const landed = await land('i-2', { 'other.txt': 'landed\n', shared: lines({ 1: 'agent', 5: 'second' }) });
    expect(landed).toMatchObject({
      note: expect.stringMatching(/a switch to .* took .*Before you commit there, run: ralphctl sync/),
    });
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringContaining('a switch to')]);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ paths: ['new.txt', 'shared'] });
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M shared');
    expect(await read(repo.root, 'shared')).toBe(BOTH);
    expect(await read(repo.root, 'other.txt')).toBe('o\n');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
    await run(['stash -q', 'switch -q main', 'stash pop -q']);
    expect(await read(repo.root, 'shared')).toBe(lines({ 1: 'agent', 5: 'second', 20: 'mine' }));
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  });
});

describe.each([
  ['a branch from before', ['switch -q before']],
  ['a new branch, with a stash', ['stash -q', 'switch -qc feature']],
  ['a branch from before, with a stash that comes back', ['stash -q', 'switch -q before', 'stash pop -q']],
])('to %s, where git brought its files', (_, commands) => {
  it('nothing is said', async () => {
    await lag();
    await run(commands);
    expect([await checkoutsBehind(repo.root, 'main'), await allBehind(repo.root)]).toEqual([[], []]);
    expect(await land('i-2', { 'other.txt': 'landed\n' })).not.toHaveProperty('note', expect.anything());
    const files = await sh(repo.root, 'diff', 'HEAD');
    expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
    expect(await sh(repo.root, 'diff', 'HEAD')).toBe(files);
  });
});

it('is told until its person has committed: what is on the branch then was meant', async () => {
  await lag();
  await run(['switch -qc feature', 'commit -qm part other.txt --allow-empty']);
  expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
  await run(['commit -qam all']);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  await run(['switch -q main']);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
});

it('a branch that is rebased there meanwhile is not held for old files', async () => {
  await lag();
  await run(['stash -q', 'switch -q before']);
  await commitFiles(repo.root, { shared: lines({ 1: 'mine, too' }) }, 'conflicts');
  await sh(repo.root, 'rebase', 'main').catch(() => undefined);
  expect(await sh(repo.root, 'status', '--porcelain')).toBe('UU shared');
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
});

it('comes back to the target with the same files, and is told as before', async () => {
  await lag();
  await run(['switch -qc feature', 'switch -q main']);
  expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringContaining('your edits blocked the update')]);
  expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['shared'] });
  expect(await read(repo.root, 'shared')).toBe(BOTH);
});

describe.each([
  ['', ['stash -q']],
  [', with what was untracked', ['stash -q -u']],
])('C1 a stash that outlasts a sync%s', (_, stash) => {
  it('is told when it comes back, and forgotten when it is dropped', async () => {
    await lag();
    await run(stash);
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
    expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
    expect(await remembered()).not.toBe('');
    await run(['stash pop -q']);
    expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await read(repo.root, 'shared')).toBe(BOTH);
    expect(await read(repo.root, 'new.txt')).toBe('new\n');

    await run(['reset -q --hard', 'stash -q']);
    expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
    expect(await remembered()).toBe('');
  });
});
