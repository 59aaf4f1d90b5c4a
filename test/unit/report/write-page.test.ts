/** The page of a report goes where the named path leads, and replaces nothing but a regular file. */
import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writePage } from '../../../src/client/report/write-page.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-page-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('replaces a regular file, creates a new one, and leaves nothing beside', async () => {
  await writeFile(join(dir, 'old.html'), 'old');
  await writePage(join(dir, 'old.html'), 'page');
  await writePage(join(dir, 'new.html'), 'page');
  expect((await readdir(dir)).sort()).toEqual(['new.html', 'old.html']);
  for (const name of ['old.html', 'new.html']) expect(await readFile(join(dir, name), 'utf8')).toBe('page');
});

it('keeps the mode of a file that exists, whatever the mask; a new one is for its owner', async () => {
  const old = join(dir, 'old.html');
  await writeFile(old, 'old');
  const modeOf = async (name: string) => ((await stat(join(dir, name))).mode & 0o777).toString(8);
  for (const mode of [0o644, 0o664, 0o600, 0o640]) {
    await chmod(old, mode);
    await writePage(old, 'page');
    expect(await modeOf('old.html')).toBe(mode.toString(8));
  }
  await writePage(join(dir, 'new.html'), 'page');
  expect(await modeOf('new.html')).toBe('600');
});

it.each([true, false])('follows a symlink; its target exists: %s', async (exists) => {
  await mkdir(join(dir, 'site'));
  const target = join(dir, 'site', 'page.html');
  if (exists) await writeFile(target, 'old');
  const link = join(dir, 'link.html');
  await symlink('site/page.html', link);
  await writePage(link, 'page');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(target, 'utf8')).toBe('page');
  expect(await readdir(join(dir, 'site'))).toEqual(['page.html']);
  expect(await readdir(dir)).toHaveLength(2);
});

it.each(['fifo', 'link'])('writes through a FIFO: %s', async (name) => {
  const fifo = join(dir, 'fifo');
  await promisify(execFile)('mkfifo', [fifo]);
  await symlink('fifo', join(dir, 'link'));
  const [read] = await Promise.all([readFile(fifo, 'utf8'), writePage(join(dir, name), 'page')]);
  expect(read).toBe('page');
  expect((await lstat(fifo)).isFIFO()).toBe(true);
});

it('refuses a folder', async () => {
  await expect(writePage(dir, 'page')).rejects.toThrow('EISDIR');
});
