/** What a sandbox finds out about this machine and about an agent's own files. Features: B2 D2. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { ownPlaces } from '../../../src/agents/own-places.js';
import { listeningSockets } from '../../../src/jobs/listening.js';
import { prepareOwn } from '../../../src/jobs/own-files.js';
import { until } from '../../support/program.js';
import { inShownFolder, shownFolder } from '../../support/shown-folder.js';

async function folderIn(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'facts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const canFind = process.platform === 'linux' && shownFolder !== undefined;

it.runIf(canFind)('finds sockets that their program named below its folder', async () => {
  // Temporary folders are not shown at all.
  const folder = await inShownFolder('facts-');
  await mkdir(join(folder, 'real'));
  await symlink('real', join(folder, 'link'));
  // A sandbox can mount nothing over a path with a link in it.
  for (const path of ['own.sock', join(folder, 'whole.sock'), join(folder, 'link/linked.sock')]) {
    const script = `require('net').createServer().listen(${JSON.stringify(path)})`;
    const child = execa(process.execPath, ['-e', script], { cwd: folder, reject: false });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await child;
    });
  }
  const wanted = ['own.sock', 'whole.sock', 'real/linked.sock'].map((name) => join(folder, name));
  await until('all', async () => {
    const found = await listeningSockets();
    return wanted.every((path) => found.includes(path));
  });
});

it('refuses a setting that is a link, which an agent could replace, and says so', async () => {
  const home = await folderIn(tmpdir());
  const own = ownPlaces({ adapter: 'claude' }, {}, home);
  await prepareOwn(own);
  await prepareOwn(own);
  expect(await readFile(join(home, '.claude/settings.json'), 'utf8')).toBe('{}\n');
  await rm(join(home, '.claude/settings.json'));
  await writeFile(join(home, 'dotfile.json'), '{}');
  for (const target of ['dotfile.json', 'missing.json']) {
    await symlink(join(home, target), join(home, '.claude/settings.json'));
    await expect(prepareOwn(own)).rejects.toThrow(/settings\.json is a link.*sandbox: off/);
    await rm(join(home, '.claude/settings.json'));
  }
});

it.each([
  ['claude', {}, ['.claude/local'], ['.claude/shell-snapshots', '.claude/session-env']],
  ['claude', { CLAUDE_CONFIG_DIR: '/c' }, ['/c/.claude.json'], ['/c/shell-snapshots']],
  ['codex', {}, ['.codex/.env', '.codex/packages'], ['.codex/tmp', '.codex/shell_snapshots']],
  ['pi', {}, ['.pi/agent/bin'], []],
  ['opencode', {}, ['.local/share/opencode/bin'], []],
  ['gemini', {}, ['.gemini/tmp/bin'], []],
  ['copilot', {}, ['.copilot/pkg'], []],
] as const)('%s %o: programs and scripts that its next start runs are not for an agent to write', (...row) => {
  const [adapter, env, settings, fresh] = row;
  const own = ownPlaces({ adapter }, env, '/home/u');
  const absolute = (path: string): string => (path.startsWith('/') ? path : join('/home/u', path));
  for (const path of settings) expect(own.settings).toContain(absolute(path));
  for (const path of fresh) expect(own.fresh).toContain(absolute(path));
});
