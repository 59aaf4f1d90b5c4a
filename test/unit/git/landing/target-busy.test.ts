/** A person's merge, rebase or the like holds the target: nothing moves it before they have finished (D1, C1). */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { undoIdea } from '../../../../src/git/landing/undo.js';
import { refuseOpenOperations, TargetBusy } from '../../../../src/git/target-busy.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'b.txt': 'bee\n' });
  await sh(repo.root, 'switch', '-q', '-c', 'topic');
  await commitFiles(repo.root, { 'a.txt': 'topic\n' }, 'on topic');
  await sh(repo.root, 'switch', '-q', 'main');
  await commitFiles(repo.root, { 'a.txt': 'main\n' }, 'on main');
  await commitFiles(repo.root, { 'a.txt': 'newer\n' }, 'newer');
});
afterEach(() => repo.remove());

const tip = () => sh(repo.root, 'rev-parse', 'main');
const run = (line: string) => shell(repo.root, line);
const RESOLVED = 'echo both > a.txt && git add a.txt';

/** How it begins, how the person ends it, and what git calls it. */
const OPERATIONS: [name: string, begin: string, end: string][] = [
  ['merge', 'git merge -q topic', `${RESOLVED} && git commit -q --no-edit`],
  ['cherry-pick', 'git cherry-pick topic', `${RESOLVED} && git -c core.editor=true cherry-pick --continue`],
  ['revert', 'git revert --no-edit HEAD~1', `${RESOLVED} && git -c core.editor=true revert --continue`],
  ['git am', 'git format-patch -q -1 --stdout topic | git am -q -3', `${RESOLVED} && git am -q --continue`],
  [
    'rebase',
    'GIT_SEQUENCE_EDITOR="sed -i s/^pick/edit/" git rebase -q -i HEAD~1',
    'echo mine > mine.txt && git add mine.txt && git commit -q -m mine && git rebase --continue',
  ],
];

describe.each(OPERATIONS)('D1 a %s under way in a checkout of the target', (name, begin, end) => {
  it('holds a landing before its gate; then both are there', async () => {
    const { path } = await worktreeOf(repo);
    await commitFiles(path, { 'b.txt': 'landed\n' }, 'work');
    await run(begin);
    const [before, status] = [await tip(), await sh(repo.root, 'status', '--porcelain')];
    let gates = 0;
    const gate = async () => {
      gates += 1;
      return GREEN;
    };
    const held = await landWork(repo, 'i-1', { gate });
    const way = name === 'git am' ? 'am' : name;
    expect(held).toMatchObject({
      kind: 'target-busy',
      why: expect.stringMatching(new RegExp(`^A ${name} is in progress in .*my repo, .*git -C '.*' ${way} --abort$`)),
    });
    expect([gates, await tip(), await sh(repo.root, 'status', '--porcelain')]).toEqual([0, before, status]);
    expect(await run(end)).toMatchObject({ code: 0 });
    const own = await tip();
    expect(await landWork(repo, 'i-1', { gate })).toMatchObject({ kind: 'landed' });
    await sh(repo.root, 'merge-base', '--is-ancestor', own, 'main');
    expect(await sh(repo.root, 'show', 'main:b.txt')).toBe('landed');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
  });

  it('that begins during the gate holds the landing, too', async () => {
    const { path } = await worktreeOf(repo);
    await commitFiles(path, { 'b.txt': 'landed\n' }, 'work');
    const before = await tip();
    const gate = async () => {
      await run(begin);
      return GREEN;
    };
    expect(await landWork(repo, 'i-1', { gate })).toMatchObject({ kind: 'target-busy' });
    expect(await tip()).toBe(before);
    expect(await run(end)).toMatchObject({ code: 0 });
    expect(await landWork(repo)).toMatchObject({ kind: 'landed' });
  });
});

it('D1 a rebase of another branch holds no landing', async () => {
  const { path } = await worktreeOf(repo);
  await commitFiles(path, { 'b.txt': 'landed\n' }, 'work');
  const other = join(repo.scratch, 'other');
  await sh(repo.root, 'worktree', 'add', '-q', other, 'topic');
  expect((await shell(other, 'git rebase -q main')).code).not.toBe(0);
  expect(await landWork(repo)).toMatchObject({ kind: 'landed' });
});

it('D1 a rebase of the target in another worktree holds it', async () => {
  const other = join(repo.scratch, 'other');
  await sh(repo.root, 'switch', '-q', '--detach');
  await sh(repo.root, 'worktree', 'add', '-q', other, 'main');
  await shell(other, 'GIT_SEQUENCE_EDITOR="sed -i s/^pick/edit/" git rebase -q -i HEAD~1');
  await expect(refuseOpenOperations(repo.root, 'main')).rejects.toThrow(TargetBusy);
  await expect(refuseOpenOperations(repo.root, 'main')).rejects.toThrow(/other, which moves main when it ends\./);
});

it('D1 a rebase of another branch that carries the target along holds it; then the target is where the person put it', async () => {
  const { path } = await worktreeOf(repo);
  await commitFiles(path, { 'b.txt': 'landed\n' }, 'work');
  await sh(repo.root, 'switch', '-q', '-c', 'upper');
  await commitFiles(repo.root, { 'upper.txt': 'upper\n' }, 'on upper');
  const before = await tip();
  const begin = 'GIT_SEQUENCE_EDITOR="sed -i 0,/^pick/s/^pick/edit/" git rebase -q -i --update-refs HEAD~2';
  await run(begin);
  expect(await landWork(repo)).toMatchObject({
    kind: 'target-busy',
    why: expect.stringMatching(
      /^A rebase is in progress in .*my repo, which moves main when it ends\. Finish it, or: /,
    ),
  });
  expect(await tip()).toBe(before);
  expect(
    await run('echo mine > mine.txt && git add mine.txt && git commit -q --amend --no-edit && git rebase --continue'),
  ).toMatchObject({ code: 0 });
  expect(await sh(repo.root, 'show', 'main:mine.txt')).toBe('mine');
  const carried = await tip();
  expect(carried).not.toBe(before);
});

it('D4 nothing is taken off the target meanwhile, and the reason names the way on', async () => {
  const { path } = await worktreeOf(repo);
  await commitFiles(path, { 'b.txt': 'landed\n' }, 'work');
  await landWork(repo);
  const before = await tip();
  await run('git merge -q topic');
  const { root, integrationRoot } = repo;
  const undo = undoIdea({
    ...{ repo: root, integrationRoot, target: 'main', idea: 'i-1', title: 'Do i-1', agentName: 'ed-001', keep: [] },
    setup: async () => undefined,
    gate: async () => GREEN,
  });
  await expect(undo).rejects.toThrow(/A merge is in progress .* Finish it, or: git -C '.*' merge --abort/);
  expect(await tip()).toBe(before);
});
