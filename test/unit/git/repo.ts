/** Real repositories in temporary folders, driven by plain git (never through the code under test). */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { GateResult } from '../../../src/protocol/gate.js';

const exec = promisify(execFile);
const ENV = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** Stdout of a git command in `dir`, trimmed at the end. */
export async function sh(dir: string, ...args: string[]): Promise<string> {
  const { stdout } = await exec('git', args, { cwd: dir, env: ENV, maxBuffer: 64 << 20 });
  return stdout.trimEnd();
}
/** Exit code and output of a shell line. */
export async function shell(dir: string, line: string): Promise<{ code: number; out: string }> {
  try {
    const { stdout, stderr } = await exec('/bin/sh', ['-c', line], { cwd: dir, env: ENV });
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const failed = error as { code: number; stdout: string; stderr: string };
    return { code: failed.code, out: failed.stdout + failed.stderr };
  }
}

export async function put(dir: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
}
export const read = (dir: string, path: string): Promise<string> => readFile(join(dir, path), 'utf8');

export async function commitFiles(dir: string, files: Record<string, string>, message: string): Promise<string> {
  await put(dir, files);
  await sh(dir, 'add', '-A');
  await sh(dir, 'commit', '-q', '-m', message);
  return sh(dir, 'rev-parse', 'HEAD');
}

export interface TestRepo {
  root: string;
  worktreesRoot: string;
  integrationRoot: string;
  scratch: string;
  base: string;
  remove(): Promise<void>;
}

/** A repository with one commit on `main` and a configured identity. */
export async function makeRepo(
  files: Record<string, string> = { 'a.txt': 'one\n', '.gitignore': 'node_modules/\n*.log\n' },
): Promise<TestRepo> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl git tést-')));
  const root = join(scratch, 'my repo');
  await mkdir(root);
  await sh(root, 'init', '-q', '-b', 'main');
  await sh(root, 'config', 'user.name', 'Ada');
  await sh(root, 'config', 'user.email', 'ada@example.org');
  const base = await commitFiles(root, files, 'Start');
  return {
    root,
    worktreesRoot: join(scratch, 'worktrees'),
    integrationRoot: join(scratch, 'integration'),
    scratch,
    base,
    remove: () => rm(scratch, { recursive: true, force: true, maxRetries: 3 }),
  };
}

export const GREEN: GateResult = { pass: true, commands: [], durationMs: 1 };
export const RED: GateResult = {
  pass: false,
  commands: [{ command: 'test', exitCode: 1, durationMs: 1 }],
  failure: { command: 'test', exitCode: 1, timedOut: false, tail: 'no', log: 'x.log' },
  durationMs: 1,
};
