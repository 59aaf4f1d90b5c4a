/** U+2028 and U+2029 in texts of git: the dot of a regular expression does not match them without a flag. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMoves, readOutside } from '../../../src/git/confinement/outside.js';
import { changedSettings, remotesOf } from '../../../src/git/confinement/wall-config.js';
import { readLine } from '../../../src/git/landing/first-parents.js';
import { viewSaves } from '../../../src/git/saves/list.js';
import { type SaveReason, savePoint } from '../../../src/git/saves/saves.js';
import { commitFiles, makeRepo, sh, type TestRepo } from './repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

describe.each([
  ['U+2028', '\u2028'],
  ['U+2029', '\u2029'],
])('%s', (_, separator) => {
  it('in a subject: the reflog keeps the move', async () => {
    const gitDir = join(repo.root, '.git');
    const before = await readMoves(gitDir, 'HEAD');
    const made = await commitFiles(repo.root, { 'a.txt': 'a\n' }, `one${separator}two`);
    const after = await readMoves(gitDir, 'HEAD');
    expect(after).toHaveLength(before.length + 1);
    expect(after.at(-1)).toMatchObject({ to: made, text: `commit: one${separator}two` });
  });

  it('in the name of a person: the reflog keeps the move', async () => {
    const line = `${'0'.repeat(40)} ${'1'.repeat(40)} A${separator}B <a@b> 1700000000 +0000\tcommit: x`;
    await sh(repo.root, 'update-ref', '--create-reflog', 'refs/heads/other', 'HEAD');
    await writeFile(join(repo.root, '.git/logs/refs/heads/other'), `${line}\n`);
    expect(await readMoves(join(repo.root, '.git'), 'refs/heads/other')).toMatchObject([{ at: 1700000000, line }]);
  });

  it('in the name of a branch: the branch is watched, loose and packed', async () => {
    const name = `refs/heads/a${separator}b`;
    await sh(repo.root, 'update-ref', name, 'HEAD');
    const gitDir = join(repo.root, '.git');
    const place = { root: repo.root, gitDir, commonDir: gitDir };
    expect((await readOutside(place)).refs).toHaveProperty([name]);
    await sh(repo.root, 'pack-refs', '--all');
    expect((await readOutside(place)).refs).toHaveProperty([name]);
  });

  it('in the path of a file: the line of landings has the file', async () => {
    const path = `a${separator}b.txt`;
    const made = await commitFiles(repo.root, { [path]: 'a\n' }, 'one');
    const line = await readLine(repo.root, 'main', made);
    expect(line.find(({ sha }) => sha === made)?.files.has(path)).toBe(true);
  });

  it('in the reason of a save: the list shows the reason', async () => {
    const tree = join(repo.scratch, 'tree');
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', tree);
    await commitFiles(tree, { 'a.txt': 'two\n' }, 'step 1');
    await savePoint({ worktree: tree, idea: 'i-1', why: `one${separator}two` as SaveReason });
    const [view] = await viewSaves(repo.root, 'refs/heads/main');
    expect(view?.why).toContain('one');
    expect(view?.why).toContain('two');
  });

  it('in the name of a remote or a branch: its settings are known', async () => {
    const remote = `[remote "a${separator}b"]\n\turl = /there\n`;
    expect([...(await remotesOf(remote)).keys()]).toEqual([`a${separator}b`]);
    expect(await changedSettings('', `[branch "a${separator}b"]\n\tremote = origin\n`)).toEqual([]);
  });
});
