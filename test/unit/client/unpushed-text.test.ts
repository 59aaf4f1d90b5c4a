/** What the remote lacks, in words: a rollback is no landing. Features: C2 D2. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { heldNow, rollbackNotPushed } from '../../../src/client/after-run/not-pushed.js';
import { pushedText, workText } from '../../../src/client/plan/unpushed-text.js';
import { heldText } from '../../../src/decide/delivery/push.js';
import { unpushedSince } from '../../../src/git/delivery/unpushed.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
});
afterEach(() => repo.remove());

const landed = (id: string) => commitFiles(repo.root, { [`${id}.txt`]: 'x\n' }, `feat: ${id}\n\nRalph-Idea: ${id}`);
const undone = (id: string) =>
  commitFiles(repo.root, { [`${id}.txt`]: 'y\n' }, `revert: ${id}\n\nRalph-Reverted: ${id}`);

it('C2 D2: a rollback that the remote lacks is named as one, and not as a landed idea', async () => {
  await landed('one-001');
  const seen = await landed('two-001');
  await undone('two-001');
  const back = await unpushedSince(repo.root, seen, 'main');
  expect(back).toMatchObject({ commits: 1, ideas: ['two-001'], undone: ['two-001'] });
  expect(workText(back)).toBe('the rollback of two-001');
  expect(pushedText(back, 'origin/main')).toBe('pushed the rollback of two-001 to origin/main');

  await landed('three-001');
  const both = await unpushedSince(repo.root, seen, 'main');
  expect(workText(both)).toBe('landed work (three-001) and the rollback of two-001');
  expect(pushedText(both, 'origin/main')).toBe(
    'pushed 1 landed idea to origin/main: three-001; and the rollback of two-001',
  );

  // It landed again since.
  await landed('two-001');
  const again = await unpushedSince(repo.root, seen, 'main');
  expect(again).not.toHaveProperty('undone');
  expect(pushedText(again, 'origin/main')).toBe('pushed 2 landed ideas to origin/main: two-001, three-001');
});

it('C2 D2: nothing pushes the target of a run with pull requests, so a rollback there is no push that is missing', async () => {
  const seen = await landed('one-001');
  await sh(repo.root, 'update-ref', 'refs/remotes/origin/main', seen);
  await undone('one-001');
  const file = (mode: string) =>
    ({
      ...{ repo: repo.root, target: 'main', config: { landing: { mode } } },
      remote: { name: 'origin', branch: 'main', shown: 'x', mark: 'y' },
    }) as unknown as RunFile;
  expect(await rollbackNotPushed(file('push'))).toContain('the rollback of one-001');
  expect(await rollbackNotPushed(file('pr'))).toBeUndefined();
});

it('D2: once the target has what the remote has, nobody is asked to join them; until then, the reason of the run holds', async () => {
  const base = await landed('one-001');
  const there = await commitFiles(repo.root, { 'there.txt': 'x\n' }, 'theirs');
  await sh(repo.root, 'reset', '-q', '--hard', base);
  await sh(repo.root, 'update-ref', 'refs/remotes/origin/main', there);
  await landed('two-001');
  const remote = { name: 'origin', branch: 'main', shown: 'x', mark: 'y' };
  const file = { repo: repo.root, target: 'main', config: { landing: { mode: 'push' } }, remote } as unknown as RunFile;
  const held = (cause: 'foreign' | 'rejected') =>
    heldText({ cause, why: 'my own here is not a landing', commits: 3, ideas: ['two-001'] }, 'origin/main');
  expect(await heldNow(file, held('foreign'))).toMatch(
    /my own here is not a landing\. Join both .*git pull --no-rebase origin main/,
  );
  await sh(repo.root, 'rebase', '-q', 'origin/main');
  expect(await heldNow(file, held('foreign'))).toBe(
    '1 commit of main with landed work (two-001) is not on origin/main. Push it with: ralphctl sync',
  );
  // No rebase changes that.
  expect(await heldNow(file, held('rejected'))).toContain('my own here is not a landing. Allow the push there');
});
