/** Pipes in place of files that git reads: git would wait there for ever. Files in place of folders. Features: C5. */
import { execFileSync, spawn } from 'node:child_process';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readOutside } from '../../../../src/git/confinement/outside.js';
import { breachesBy, enterSection, leaveSection, raiseWall, type Wall } from '../../../../src/git/confinement/wall.js';
import { git } from '../../../../src/git/runner.js';
import { headBranch, readBranches, readLinks } from '../../../../src/git/worktrees/list.js';
import { until } from '../../../support/program.js';
import { makeRepo, read, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
let wall: Wall;
let gitDir: string;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  gitDir = join(repo.root, '.git');
  const dir = join(repo.scratch, 'wall');
  await mkdir(dir);
  await sh(repo.root, 'branch', 'ralph/t-1');
  await sh(repo.root, 'pack-refs', '--all');
  wall = await raiseWall({ commonDir: gitDir, root: repo.root, linked: [], dir }, new Date(0).toISOString());
});
afterEach(() => repo.remove());

async function pipeAt(name: string): Promise<void> {
  const path = join(gitDir, name);
  await rm(path, { force: true });
  execFileSync('mkfifo', [path]);
}

async function fileAt(name: string): Promise<void> {
  const path = join(gitDir, name);
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'in the way\n');
}

it.each(['HEAD', 'packed-refs', 'config'])('C5: one at .git/%s is put back before git runs, and told', async (name) => {
  const section = await enterSection(wall, { name: 'agent-t-1' });
  const before = await read(gitDir, name);
  await pipeAt(name);
  expect(await git(repo.root).run(['rev-parse', 'main', 'ralph/t-1'], { read: true })).toBe(
    `${repo.base}\n${repo.base}`,
  );
  expect(await read(gitDir, name)).toBe(before);
  const [breach] = await breachesBy(wall, 'agent-t-1', section.at);
  expect(breach?.changes[0]?.what).toContain(`.git/${name}`);
  await leaveSection(wall, section);
});

it('C5: any other one is taken away after the agent code, also where git would only write', async () => {
  const section = await enterSection(wall, { name: 'agent-t-1' });
  const names = ['logs/refs/heads/main', 'refs/heads/x', 'ORIG_HEAD', 'objects/pack/pack-1.idx'];
  for (const name of names) await pipeAt(name);
  const [breach] = await breachesBy(wall, 'agent-t-1', section.at);
  expect(breach?.changes.map(({ what }) => what).sort()).toEqual(
    names.map((name) => `put a named pipe at .git/${name}`).sort(),
  );
  for (const name of names) await expect(lstat(join(gitDir, name))).rejects.toThrow('ENOENT');
  await leaveSection(wall, section);
});

it('C5: one in place of a loose object goes too, and a git that waits there ends', { timeout: 60_000 }, async () => {
  const section = await enterSection(wall, { name: 'agent-t-1' });
  const blob = await sh(repo.root, 'rev-parse', 'HEAD:a.txt');
  const name = `objects/${blob.slice(0, 2)}/${blob.slice(2)}`;
  await pipeAt(name);
  const waiting = spawn('git', ['cat-file', '-p', blob], { cwd: repo.root, stdio: 'ignore' });
  const ended = new Promise((done) => waiting.once('exit', done));
  if (process.platform === 'linux')
    await until('git to wait', async () => {
      const status = await readFile(`/proc/${waiting.pid}/status`, 'utf8');
      return /^Name:\tgit$/m.test(status) && /^State:\tS/m.test(status);
    });
  const [breach] = await breachesBy(wall, 'agent-t-1', section.at);
  expect(breach?.changes.map(({ what }) => what)).toEqual([`put a named pipe at .git/${name}`]);
  await expect(lstat(join(gitDir, name))).rejects.toThrow('ENOENT');
  expect(await ended).not.toBe(0);
  await leaveSection(wall, section);
});

it('C5: one that a person made is named with the command that removes it', async () => {
  await pipeAt('packed-refs');
  const run = git(repo.root).run(['rev-parse', 'main'], { read: true });
  await expect(run).rejects.toMatchObject({ message: expect.stringContaining('packed-refs is a named pipe') });
});

it('C5: looks at refs, links and HEAD wait at none', async () => {
  for (const name of ['HEAD', 'packed-refs', 'config']) await pipeAt(name);
  await mkdir(join(gitDir, 'worktrees/x'), { recursive: true });
  for (const name of ['HEAD', 'gitdir', 'commondir']) await pipeAt(`worktrees/x/${name}`);
  expect(await readOutside({ root: repo.root, gitDir, commonDir: gitDir })).toMatchObject({
    head: '',
    config: '',
    refs: {},
  });
  expect(await readLinks(gitDir)).toEqual({});
  expect(await readBranches(gitDir, 'ralph/')).toEqual({});
  await expect(headBranch(gitDir)).rejects.toThrow('not a regular file');
});

const ODD = ['worktrees/.DS_Store', 'info', 'modules', 'hooks', 'worktrees'];
it.each(ODD)('C5: a plain file at .git/%s stops no git', async (name) => {
  await fileAt(name);
  expect(await git(repo.root).run(['rev-parse', 'main'], { read: true })).toBe(repo.base);
});

it('C5: a plain file that an agent puts in place of .git/info goes, and the files of the folder come back', async () => {
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info/exclude'), '*.log\n');
  await git(repo.root).run(['rev-parse', 'main'], { read: true });
  const section = await enterSection(wall, { name: 'agent-t-1' });
  await fileAt('info');
  expect(await git(repo.root).run(['rev-parse', 'main'], { read: true })).toBe(repo.base);
  expect(await read(gitDir, 'info/exclude')).toBe('*.log\n');
  const [breach] = await breachesBy(wall, 'agent-t-1', section.at);
  expect(breach?.changes.map(({ what }) => what)).toEqual(['removed .git/info/exclude']);
  expect(await readFile(breach?.changes[0]?.kept ?? '', 'utf8')).toBe('in the way\n');
  await leaveSection(wall, section);
});
