/** A run from a linked worktree, where nothing leads to the main checkout of the target. Features: C1 D1. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkProject } from '../../../../src/client/doctor/project.js';
import { planRun } from '../../../../src/client/plan/run-plan.js';
import { refuseHiddenCheckout } from '../../../../src/git/landing/hidden-checkout.js';
import { listWorktrees } from '../../../../src/git/worktrees/list.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let linked: string;
let gitDir: string;
const REFUSED = /^The main checkout of this repository has main, and nothing leads from here to its folder/;

beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  const files = {
    '.ralph-script.yaml': 'default: []\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\ntarget: main\n',
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n',
  };
  await commitFiles(repo.root, files, 'plan');
  gitDir = join(repo.scratch, 'it is.git');
  linked = join(repo.scratch, 'linked');
  await sh(repo.root, 'init', '-q', '--separate-git-dir', gitDir);
  await sh(repo.root, 'worktree', 'add', '-q', '-b', 'side', linked);
});
afterEach(() => repo.remove());

const context = (cwd: string) => ({
  ...{ cwd, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json: false },
});
const start = (cwd: string, target = 'main') => planRun(context(cwd), { target });

it('is refused before anything starts; from the checkout itself, and onto another branch, all is well', async () => {
  await expect(start(linked)).rejects.toThrow(REFUSED);
  const { checks } = await checkProject(context(linked));
  expect(checks).toContainEqual(
    expect.objectContaining({ what: 'target', state: 'fail', found: expect.stringMatching(REFUSED) }),
  );
  expect((await start(repo.root)).target).toBe('main');
  expect((await start(linked, 'side')).target).toBe('side');
});

it('the advice works: git knows the checkout from then on', async () => {
  const { fix } = (await refuseHiddenCheckout(linked, 'main').catch((error: unknown) => error)) as { fix: string };
  const command = /: (git config --file .* core\.worktree) FOLDER\./.exec(fix)?.[1] ?? 'false';
  await promisify(execFile)('sh', ['-c', `${command} '${repo.root}'`]);
  await refuseHiddenCheckout(linked, 'main');
  expect((await listWorktrees(linked))[0]?.path).toBe(repo.root);
  expect((await start(linked)).target).toBe('main');
});

it('the advice works for a checkout that is gone, and moves no branch', async () => {
  const { fix } = (await refuseHiddenCheckout(linked, 'main').catch((error: unknown) => error)) as { fix: string };
  const main = await sh(linked, 'rev-parse', 'main');
  await promisify(execFile)('sh', ['-c', /: (git --git-dir=.*)$/.exec(fix)?.[1] ?? 'false']);
  await refuseHiddenCheckout(linked, 'main');
  expect(await sh(linked, 'rev-parse', 'main')).toBe(main);
});
