/** The target is a symbolic ref to the branch that the person has checked out (C1 D1). */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkProject } from '../../../../src/client/doctor/project.js';
import { planRun } from '../../../../src/client/plan/run-plan.js';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, makeRepo, put, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({
    'a.txt': 'one\n',
    '.ralph-script.yaml': 'default: []\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\ntarget: master\n',
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n',
  });
  await sh(repo.root, 'symbolic-ref', 'refs/heads/trunk', 'refs/heads/main');
  await sh(repo.root, 'symbolic-ref', 'refs/heads/master', 'refs/heads/trunk');
});
afterEach(() => repo.remove());

const context = () => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: false },
});
async function land(idea: string, files: Record<string, string>) {
  const { path } = await worktreeOf(repo, idea);
  await commitFiles(path, files, 'work');
  return landWork(repo, idea, { target: 'master' });
}
const checkOfTarget = async () => (await checkProject(context())).checks.find(({ what }) => what === 'target');

it('a run and doctor take the branch that it leads to', async () => {
  expect((await planRun(context(), {})).target).toBe('main');
  expect(await checkOfTarget()).toMatchObject({ state: 'ok', found: 'main' });
});

it('is refused by name where it leads to no branch', async () => {
  await sh(repo.root, 'update-ref', 'refs/remotes/origin/main', 'main');
  await sh(repo.root, 'symbolic-ref', 'refs/heads/master', 'refs/remotes/origin/main');
  await expect(planRun(context(), {})).rejects.toThrow(
    /^master is a symbolic ref to refs\/remotes\/origin\/main, which is no branch\. Set the target to a branch/,
  );
  expect(await checkOfTarget()).toMatchObject({ state: 'fail' });
});

it('a landing of a run that is open under its name brings the checkout along, or says that it lags', async () => {
  expect(await land('i-1', { 'a.txt': 'two\n', 'new.txt': 'n\n' })).not.toHaveProperty('note', expect.anything());
  expect([await sh(repo.root, 'status', '--porcelain'), await read(repo.root, 'new.txt')]).toEqual(['', 'n\n']);
  await put(repo.root, { 'a.txt': 'mine\n' });
  expect(await land('i-2', { 'a.txt': 'three\n' })).toMatchObject({ note: expect.stringContaining('ralphctl sync') });
  for (const name of ['master', 'main'])
    expect(await checkoutsBehind(repo.root, name)).toEqual([expect.stringContaining('still has the old a.txt')]);
  expect(await read(repo.root, '.git/refs/heads/master')).toBe('ref: refs/heads/trunk\n');
});
