/** A retry whose branch and worktree somebody deleted says from which save it goes on, before it begins. Features: C2 C3. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { withClosed } from '../../../src/client/after-run/closed.js';
import { resetClosed } from '../../../src/client/commands/recover/reset.js';
import { savePoint } from '../../../src/git/saves/saves.js';
import { worktreeOf } from '../git/idea-work.js';
import { commitFiles, sh, type TestRepo } from '../git/repo.js';
import { contextOf, planned, repoOfOne, toldRun } from './told-run.js';

let repo: TestRepo;
let project: string;
const context = () => contextOf(repo, true);
const closed = <T>(act: Parameters<typeof withClosed<T>>[3]) =>
  withClosed(context(), project, () => Promise.resolve(false), act);
const retry = (fresh = false) =>
  closed((at) => actWithoutRun(at, { verb: 'retry', idea: 'i-1', ...(fresh ? { fresh: true } : {}) }));
const ensure = () => worktreeOf(repo);

beforeEach(async () => {
  repo = await repoOfOne();
  project = await planned(context());
  await toldRun(context(), project, 'completed', [
    { kind: 'idea', idea: 'i-1', title: 'Do it', status: 'failed', reason: 'no progress' },
  ]);
});
afterEach(() => repo.remove());

/** With work, one part of it saved; then somebody deletes both. */
async function deleted(saved: boolean): Promise<void> {
  const { path } = await ensure();
  await commitFiles(path, { 'work.txt': 'w\n' }, 'work');
  if (saved) await savePoint({ worktree: path, idea: 'i-1', why: 'its agent was interrupted' });
  await rm(path, { recursive: true });
  await sh(repo.root, 'worktree', 'prune');
  await sh(repo.root, 'branch', '-D', 'ralph/i-1');
}

it('C2: names the save from which the next start goes on, and how to begin anew instead', async () => {
  await deleted(true);
  const gone = 'its branch ralph/i-1 and its worktree are gone; it goes on from its save 1 (ralphctl saves i-1)';
  const said = await retry();
  expect(said).toContain(`The next start runs it with a new iteration count: ${gone}`);
  expect(said).toContain('ralphctl saves restore i-1 1; to begin anew on main: ralphctl retry i-1 --fresh');
  expect(said).not.toContain('its work so far is kept');
  await retry(true);
  expect(await ensure()).not.toHaveProperty('gone');
});

it('C2: says that it begins anew where no save has its work', async () => {
  await deleted(false);
  expect(await retry()).toContain('are gone; no save has work of it, so it begins anew on main');
});

it('C2: a reset forgets the deleted branch, so that the idea begins anew', async () => {
  await deleted(true);
  await closed((at) => resetClosed(at, ['i-1'], {}));
  expect(await ensure()).not.toHaveProperty('gone');
});
