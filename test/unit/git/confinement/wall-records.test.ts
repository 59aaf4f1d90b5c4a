/** Records of sections and of kept folders, where something else than a file stands in their place. Feature: F5. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { changedSinceNoted } from '../../../../src/gate/kept/folders.js';
import { activeSections, noteSection } from '../../../../src/git/confinement/wall-sections.js';
import { contentOf } from '../../../../src/process/table.js';

it('F5: the content of a kept file is hashed, and a pipe or a device in its place is an error at once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'records-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const text = 'kept '.repeat(100_000);
  await writeFile(join(dir, 'file'), text);
  expect(await contentOf(join(dir, 'file'))).toBe(createHash('sha1').update(text).digest('base64'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  await expect(contentOf(join(dir, 'pipe'))).rejects.toThrow('is not a regular file');
  await expect(contentOf('/dev/zero')).rejects.toThrow('is not a regular file');
});

it.each(['a pipe', 'a device'])('F5: %s in the place of a record is read as none', async (what) => {
  const dir = await mkdtemp(join(tmpdir(), 'records-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const stand = async (name: string): Promise<string> => {
    const path = join(dir, name);
    if (what === 'a pipe') execFileSync('mkfifo', [path]);
    else await symlink('/dev/zero', path);
    return path;
  };
  await mkdir(join(dir, 'active'));
  await stand('active/agent-i-1.json');
  expect(await activeSections(dir)).toEqual([]);
  await noteSection(dir, { name: 'agent-i-1' });
  expect(await activeSections(dir)).toMatchObject([{ name: 'agent-i-1', pid: process.pid }]);
  expect(await changedSinceNoted(dir, await stand('kept.txt'))).toBeUndefined();
});
