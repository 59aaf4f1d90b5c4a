/** The screen asks again what has left the target only when the target has moved. Features: G8. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { KeptGone } from '../../../src/client/report/gone.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\nlanding: { tick: false }\n',
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

async function begun() {
  const context = {
    ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
    ...{ env: process.env, json: false },
  };
  return { file: runFile(await planRun(context, {}), '20260101-000000-aaaa') };
}

it('G8: the answer stands while the target stands, and is another one when work was taken back', async () => {
  const { file } = await begun();
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: a-1');
  const kept = new KeptGone();
  const ask = () => kept.now(file, new Map([['a-1', undefined]]), { whole: false });
  const first = await ask();
  expect([...first.gone.keys()]).toEqual([]);
  expect([...(first.landed?.keys() ?? [])]).toEqual(['a-1']);
  expect(await ask()).toBe(first);
  await sh(repo.root, 'revert', '--no-edit', 'HEAD');
  const moved = await ask();
  expect([...moved.gone.keys()]).toEqual(['a-1']);
  expect(await ask()).toBe(moved);
  kept.forget();
  const again = await ask();
  expect(again).not.toBe(moved);
  expect(again).toEqual(moved);
});

it('G8: the answer about a target that was deleted is kept, too, and the answer of a git that failed is not', async () => {
  const { file } = await begun();
  await commitFiles(repo.root, { 'a.txt': 'a\n' }, 'feat: a\n\nRalph-Idea: a-1');
  const commit = (await sh(repo.root, 'rev-parse', 'HEAD')).trim();
  await sh(repo.root, 'checkout', '-q', '--detach');
  await sh(repo.root, 'branch', '-q', '-D', 'main');
  const kept = new KeptGone();
  const ask = () => kept.now(file, new Map([['a-1', commit]]), { whole: false });
  const lost = await ask();
  expect(lost.gone.get('a-1')).toMatchObject({ noBranch: true });
  expect(await ask()).toBe(lost);
  // A branch with the work is news.
  await sh(repo.root, 'branch', 'other', commit);
  expect(await ask()).toMatchObject({ renamed: { branch: 'other' }, gone: new Map() });
  const broken = new KeptGone();
  const HEAD = join(repo.root, '.git/HEAD');
  const head = await readFile(HEAD, 'utf8');
  await writeFile(HEAD, 'broken');
  const failed = await broken.now(file, new Map([['a-1', commit]]), { whole: false });
  expect(failed).toMatchObject({ landed: undefined, failed: true });
  expect((await ask()).renamed?.branch).toBe('other');
  await writeFile(HEAD, head);
  expect(await broken.now(file, new Map([['a-1', commit]]), { whole: false })).toMatchObject({
    renamed: { branch: 'other' },
  });
});
