/**
 * A person switches branches in the checkout between the moment at which a landing lists the checkouts and its move (C1).
 * The list is taken before the switch, as in the landing.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { type SwapResult, swapTarget } from '../../../../src/git/landing/swap.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { listWorktrees, type WorktreeEntry } from '../../../../src/git/worktrees/list.js';
import { makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let [from, to] = ['', ''];
beforeEach(async () => {
  repo = await makeRepo({ 'shared.txt': 'old\n', 'roadmap.md': '- [ ] i-1\n' });
  from = await sh(repo.root, 'rev-parse', 'main');
  await put(repo.root, { 'shared.txt': 'landed\n', 'new.txt': 'new\n' });
  await sh(repo.root, 'add', '-A');
  await sh(repo.root, 'commit', '-qm', 'landed');
  to = await sh(repo.root, 'rev-parse', 'HEAD');
  await sh(repo.root, 'reset', '-q', '--hard', from);
});
afterEach(() => repo.remove());

const swap = (worktrees: readonly WorktreeEntry[]): Promise<SwapResult> =>
  swapTarget({ dir: repo.root, target: 'main', from, to, claims: [], worktrees, mayLag: 'roadmap.md', reason: 'land' });
const refs = (): Promise<string> => sh(repo.root, 'for-each-ref', '--format=%(refname)', 'refs/ralphctl');

describe('to the target', () => {
  it('its old files are remembered and told, and sync brings them along', async () => {
    await sh(repo.root, 'switch', '-qc', 'feature');
    const before = await listWorktrees(repo.root);
    await sh(repo.root, 'switch', '-q', 'main');
    expect(await swap(before)).toMatchObject({ moved: true, note: expect.stringContaining('ralphctl sync') });
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringContaining('ralphctl sync')]);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ paths: ['new.txt', 'shared.txt'] });
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
    expect(await refs()).toBe('refs/ralphctl/save/checkout/1');
  });
});

describe.each([
  ['another branch', ['switch', '-qc', 'feature']],
  ['no branch', ['switch', '-q', '--detach']],
])('to %s', (_, command) => {
  it.each([
    ['nothing', {}],
    ['the backlog', { 'roadmap.md': '- [ ] i-1\n- [ ] mine\n' }],
  ])('its branch and files stay as they were, with edits of %s', async (__, edits: Record<string, string>) => {
    const before = await listWorktrees(repo.root);
    await sh(repo.root, ...command);
    await put(repo.root, edits);
    expect(await swap(before)).toEqual({ moved: true });
    expect(await sh(repo.root, 'rev-parse', 'main')).toBe(to);
    expect(await sh(repo.root, 'rev-parse', 'HEAD')).toBe(from);
    expect(await read(repo.root, 'shared.txt')).toBe('old\n');
    expect(await sh(repo.root, 'diff', '--name-only', 'HEAD')).toBe(Object.keys(edits).join('\n'));
    expect(await refs()).toBe('');
  });
});

it('a switch in the very moment of the move: git moves the branch of the person, and ralphctl puts it back', async () => {
  const bin = join(repo.scratch, 'bin');
  await mkdir(bin, { recursive: true });
  const real = await sh(repo.root, '--exec-path');
  const acts = `case " $* " in *" merge --ff-only "*) "${real}/git" -C "${repo.root}" switch -qc feature;; esac`;
  await writeFile(join(bin, 'git'), `#!/bin/sh\n${acts}\nexec "${real}/git" "$@"\n`, { mode: 0o755 });
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  try {
    expect(await swap(await listWorktrees(repo.root))).toEqual({ moved: true });
  } finally {
    process.env.PATH = before;
  }
  expect(await sh(repo.root, 'branch', '--show-current')).toBe('feature');
  expect(await sh(repo.root, 'rev-parse', 'feature', 'main')).toBe(`${from}\n${to}`);
  expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  expect(await read(repo.root, 'shared.txt')).toBe('old\n');
});

it('a checkout that stays on the target is brought along', async () => {
  expect(await swap(await listWorktrees(repo.root))).toEqual({ moved: true });
  expect(await read(repo.root, 'new.txt')).toBe('new\n');
  expect(await refs()).toBe('');
});
