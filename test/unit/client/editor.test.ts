/** The editor that `edit` and Ctrl-E open, with the real git and real programs. Feature: C3. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEditor } from '../../../src/client/editor.js';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-editor-'));
  file = join(dir, 'text');
  await writeFile(file, 'before');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const program = async (name: string, says: string): Promise<string> => {
  const path = join(dir, name);
  await writeFile(path, `#!/bin/sh\n[ -d "$1" ] || printf '${says}' > "$1"\n`);
  await chmod(path, 0o755);
  return path;
};
/** Nothing of the person who runs the tests. */
const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: dir, XDG_CONFIG_HOME: dir, GIT_CONFIG_NOSYSTEM: '1' },
  ...more,
});
const opened = (more?: NodeJS.ProcessEnv) => openEditor({ env: env(more) }, { file, instead: 'Or use flags' });

it('C3: VISUAL comes first, then EDITOR, then the editor of git', async () => {
  const [visual, editor, git] = await Promise.all([program('v', 'V'), program('e', 'E'), program('g', 'G')]);
  const order: [NodeJS.ProcessEnv, string][] = [
    [{ VISUAL: visual, EDITOR: editor, GIT_EDITOR: git }, 'V'],
    [{ EDITOR: editor, GIT_EDITOR: git }, 'E'],
    [{ GIT_EDITOR: git }, 'G'],
  ];
  for (const [names, text] of order) {
    expect(await opened(names)).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});

it('C3: the editor in the configuration of the person counts, that of a repository does not', async () => {
  const [mine, theirs] = await Promise.all([program('mine', 'M'), program('theirs', 'T')]);
  await writeFile(join(dir, '.gitconfig'), `[core]\n\teditor = ${mine}\n`);
  const config = join(dir, 'config');
  await writeFile(config, `[core]\n\teditor = ${theirs}\n\trepositoryformatversion = 0\n`);
  expect(await opened({ GIT_DIR: dir })).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('M');
});

it('C3: without an editor the error names what to set, and what works without one', async () => {
  await expect(opened({ GIT_EDITOR: 'no-such-editor-here -w' })).rejects.toThrow(
    'there is no editor: set EDITOR, for example: export EDITOR=nano. Or use flags',
  );
});

it('C3: the exit code of the editor is known', async () => {
  expect(await opened({ EDITOR: 'sh -c "exit 3"' })).toBe(3);
});
