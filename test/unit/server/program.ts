/**
 * Runs TypeScript of this repository as real Node processes: bundles an entry once, then starts it as often as wanted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'ralphctl-server-')));
}

export const remove = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 5 });

/** Waits until `check` gives a value, at most `timeoutMs`. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Bundles `source`, which imports from `src/…`, into `dir` and returns the file to run. */
export async function bundle(dir: string, name: string, source: string): Promise<string> {
  const outfile = join(dir, `${name}.mjs`);
  await mkdir(dir, { recursive: true });
  await symlink(join(REPOSITORY, 'node_modules'), join(dir, 'node_modules')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await build({
    stdin: { contents: source, resolveDir: REPOSITORY, loader: 'ts', sourcefile: `${name}.ts` },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@temporalio/*'],
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

export interface Running {
  child: ChildProcess;
  /** Lines of stdout so far. */
  lines: string[];
  done: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

export function run(file: string, args: string[], env: NodeJS.ProcessEnv = process.env): Running {
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
    lines.splice(0, lines.length, ...stdout.split('\n').slice(0, -1));
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const done = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, lines, done };
}

/** A program that answers `--version` like `temporal`. */
export async function fakeTemporal(path: string, cli: string, server: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho 'temporal version ${cli} (Server ${server}, UI 2.42.1)'\n`, { mode: 0o755 });
  return path;
}
