/**
 * What git commands with a signal leave running: nothing of theirs, and everything that serves the user's other programs.
 * Features: C6, D2.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ownGit, runInterruptible } from '../../../src/git/interruptible.js';
import { isSharedCommand } from '../../../src/process/shared.js';
import { findByToken, killByToken } from '../../../src/process/tokens.js';
import { pidsWith } from '../../support/processes.js';
import { until } from '../../support/program.js';

const linux = process.platform === 'linux';
const project = `shop-${randomUUID()}`;
let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-int-')));
  ownGit(project);
});
afterEach(async () => {
  ownGit();
  await rm(dir, { recursive: true, force: true });
});

const call = (argv: readonly string[], more: { input?: string; signal?: AbortSignal } = {}) =>
  runInterruptible({
    ...{ argv, cwd: dir, input: more.input, signal: more.signal ?? new AbortController().signal },
    env: { PATH: process.env.PATH ?? '', HOME: dir, GIT_TERMINAL_PROMPT: '0' },
  });
/** One that has ended and that nobody has asked about yet has no command line. */
const alive = async (pid: number): Promise<boolean> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';

it('knows what serves all of the user’s programs, and nothing else', () => {
  const shared = [
    ['ssh: /home/me/.ssh/cm-git@host:22 [mux]'],
    ['/usr/bin/gpg-agent', '--daemon'],
    ['git', 'credential-cache--daemon', '/home/me/.cache/git/credential/socket'],
    ['/usr/lib/git-core/git-credential-cache--daemon', '/s'],
    ['ssh-agent', '-s'],
  ];
  const own = [
    ['ssh', 'git@host', 'git-receive-pack'],
    ['git', 'push'],
    ['git', 'credential-cache', 'get'],
    ['sh'],
    [],
  ];
  expect([shared.map(isSharedCommand), own.map(isSharedCommand)]).toEqual([
    shared.map(() => true),
    own.map(() => false),
  ]);
});

describe.runIf(linux)('a git command that ends', () => {
  it('leaves the cache of passwords that it began, also when a worker clears up after it', async () => {
    const home = join(dir, 'cache');
    await mkdir(home, { mode: 0o700 });
    const helper = ['-c', 'credential.helper=', '-c', `credential.helper=cache --timeout=600 --socket ${home}/socket`];
    const git = (what: string, input: string) => call(['git', ...helper, 'credential', what], { input });
    onTestFinished(async () => {
      const [pid] = await pidsWith('credential-cache--daemon', `${home}/socket`);
      if (pid) process.kill(pid, 'SIGKILL');
    });
    const who = 'protocol=https\nhost=h.localhost\n';
    expect(await git('approve', `${who}username=me\npassword=sesame\n\n`)).toMatchObject({ code: 0 });
    expect((await git('fill', `${who}\n`)).stdout).toContain('password=sesame');
    await killByToken(project, 0);
    expect((await git('fill', `${who}\n`)).stdout).toContain('password=sesame');
  });

  it('leaves the master of shared ssh connections, and ends what else it left', async () => {
    await writeFile(join(dir, 'wait'), '');
    // What ssh shows of itself once it serves others, in a session of its own.
    const master = `setsid bash -c 'echo $$ > ${dir}/master; exec -a "ssh: ${dir}/cm [mux]" tail -f ${dir}/wait' > /dev/null 2>&1 &`;
    const other = `setsid sh -c 'echo $$ > ${dir}/other; exec tail -f ${dir}/wait' > /dev/null 2>&1 &`;
    const both = `until [ -s ${dir}/master ] && [ -s ${dir}/other ]; do sleep 0.05; done`;
    await call(['sh', '-c', `${master}\n${other}\n${both}`]);
    const [shared, own] = [await pidIn('master'), await pidIn('other')];
    onTestFinished(() => void process.kill(shared, 'SIGKILL'));
    expect([await alive(shared), await alive(own)]).toEqual([true, false]);
    expect(await findByToken(project)).toEqual([]);
    await killByToken(project, 0);
    expect(await alive(shared)).toBe(true);
  });
});

describe.runIf(linux)('a git command that is interrupted', () => {
  it('ends with all that it started in its group, except what serves the user', async () => {
    await writeFile(join(dir, 'wait'), '');
    const abort = new AbortController();
    const script = `bash -c 'echo $$ > ${dir}/master; exec -a "ssh: ${dir}/cm [mux]" tail -f ${dir}/wait' > /dev/null 2>&1 &
sh -c 'echo $$ > ${dir}/other; exec tail -f ${dir}/wait' &
wait`;
    const ended = call(['sh', '-c', script], { signal: abort.signal });
    ended.catch(() => undefined);
    await until('both', async () => (await Promise.all(['master', 'other'].map(has))).every(Boolean));
    const [shared, own] = [await pidIn('master'), await pidIn('other')];
    onTestFinished(() => void process.kill(shared, 'SIGKILL'));
    await until('its title', async () => (await readFile(`/proc/${shared}/cmdline`, 'utf8')).startsWith('ssh: '));
    expect((await findByToken(project)).map(({ pid }) => pid)).toContain(own);
    abort.abort();
    await expect(ended).rejects.toThrow(/abort/i);
    expect([await alive(shared), await alive(own)]).toEqual([true, false]);
  });
});

const has = (name: string): Promise<boolean> =>
  readFile(join(dir, name), 'utf8').then(
    (text) => text.endsWith('\n'),
    () => false,
  );
const pidIn = async (name: string): Promise<number> => Number(await readFile(join(dir, name), 'utf8'));
