/** Runs the built program as users do, in repositories made for one test. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { stopWorker } from '../../src/client/worker-process.js';
import { projectDir } from '../../src/config/paths.js';
import { descendantsOf, processTable } from '../../src/process/table.js';
import { killByToken } from '../../src/process/tokens.js';
import type { StampedEvent } from '../../src/protocol/events.js';
import { removeWorkerRecord } from '../../src/worker/record.js';
import { aboutToAsk, Pauses, projectOf } from './news.js';
import { pidsWith } from './processes.js';

export const cliPath = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Lines of stdout that are JSON. */
  json: Record<string, unknown>[];
}

export interface Sandbox {
  repo: string;
  env: NodeJS.ProcessEnv;
  /** Scratch folder outside the repository, e.g. for rendezvous files. */
  scratch: string;
  git(...args: string[]): Promise<string>;
  write(files: Record<string, string>): Promise<void>;
  commit(message: string): Promise<void>;
  run(...args: string[]): Promise<Outcome>;
  /** Starts the program and leaves it running. */
  spawn(...args: string[]): ReturnType<typeof spawn>;
  dispose(): Promise<void>;
}

/* As one script each: to start a process from this one takes longer than most of what git does here. */

export const NEW_REPOSITORY = `git init --quiet --initial-branch=main &&
git config user.name 'Test User' && git config user.email test@localhost`;
export const COMMIT = 'git add --all && git commit --quiet --allow-empty --message "$1"';

/** A repository with one commit holding `files`, and the program set to work on it. */
export async function sandbox(stateRoot: string, files: Record<string, string>): Promise<Sandbox> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-case-')));
  const repo = join(base, 'repo');
  const scratch = join(base, 'scratch');
  await mkdir(repo);
  await mkdir(scratch);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: base,
    LANG: 'C.UTF-8',
    RALPHCTL_HOME: stateRoot,
    RALPHCTL_PORT: '0',
    RALPHCTL_UI_PORT: '0',
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'),
  };
  const children = new Set<ReturnType<typeof spawn>>();
  const git = async (...args: string[]): Promise<string> => (await execa('git', args, { cwd: repo, env })).stdout;
  const write = async (all: Record<string, string>): Promise<void> => {
    for (const [path, text] of Object.entries(all)) {
      await mkdir(dirname(join(repo, path)), { recursive: true });
      await writeFile(join(repo, path), text);
    }
  };
  const shell = async (text: string, ...words: string[]): Promise<unknown> =>
    execa('sh', ['-c', text, 'sh', ...words], { cwd: repo, env });
  const commit = async (message: string): Promise<void> => {
    await shell(COMMIT, message);
  };
  const run = async (...args: string[]): Promise<Outcome> => {
    await aboutToAsk(env.RALPHCTL_HOME ?? stateRoot, repo);
    const done = await execa(process.execPath, [cliPath, ...args], { cwd: repo, env, extendEnv: false, reject: false });
    const json = done.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    // Without an exit code its message names the signal, or why it did not start.
    const stderr = done.exitCode === undefined ? `${done.stderr}${done.shortMessage}` : done.stderr;
    return { code: done.exitCode ?? -1, stdout: done.stdout, stderr, json };
  };
  await write(files);
  await shell(`${NEW_REPOSITORY} && ${COMMIT}`, 'start');
  return {
    repo,
    env,
    scratch,
    git,
    write,
    commit,
    run,
    spawn: (...args) => {
      const child = spawn(process.execPath, [cliPath, ...args], { cwd: repo, env, stdio: ['ignore', 'pipe', 'pipe'] });
      children.add(child);
      return child;
    },
    dispose: async () => {
      for (const child of children) child.kill('SIGKILL');
      const root = env.RALPHCTL_HOME ?? stateRoot;
      const stop = (): Promise<unknown> => run('worker', '--stop');
      if (existsSync(projectDir(root, projectOf(repo)))) await endWorker(root, projectOf(repo)).catch(stop);
      else await stop();
      await rm(base, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * Ends a project's worker and all that it started, at once. A run that is open stays so in the server, where nobody takes
 * it up again: an orderly end would take a second of a core, and nothing that comes of it is looked at.
 */
async function endWorker(root: string, project: string): Promise<void> {
  if (process.platform !== 'linux') return void (await stopWorker({ root }, project));
  // Without the record, a worker that sees its supervisor go does not start another one.
  await removeWorkerRecord(root, project);
  // Once more until none is left: a supervisor that has just been forked has the command line of its parent.
  for (let left = true; left; ) {
    const supervisors = await pidsWith('worker', '--supervise', '--project', project);
    const workers = await pidsWith('worker', '--child', '--project', project);
    // A supervisor's other child can be the server, which may serve others.
    const below = descendantsOf(new Set(workers), await processTable()).map(({ pid }) => pid);
    const all = [...supervisors, ...workers, ...below];
    for (const pid of all) kill(pid);
    left = all.length > 0;
    if (left) await delay(20);
  }
  await killByToken(project, 0);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A roadmap as text. */
export function roadmap(tasks: { id: string; text?: string; [property: string]: unknown }[]): string {
  const lines = ['# Roadmap', '', '### Phase 1', ''];
  for (const { id, text = `Do ${id}`, ...properties } of tasks) {
    lines.push(`- [ ] **${id}**: ${text}`);
    for (const [name, value] of Object.entries({ ralph: true, ...properties })) lines.push(`  - ${name}: ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

export const yaml = (value: unknown): string => stringify(value);

/** Events that the program printed with `--json`. */
export const events = (outcome: Outcome): StampedEvent[] =>
  outcome.json.filter((line) => 'at' in line) as unknown as StampedEvent[];

/** Waits until `check` gives something; fails after `ms` with the last error or what was waited for. */
export async function until<T>(what: string, check: () => Promise<T | undefined | false>, ms = 120_000): Promise<T> {
  const end = Date.now() + ms;
  const pauses = new Pauses();
  let last: unknown;
  for (;;) {
    const began = performance.now();
    try {
      const found = await check();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`, { cause: last });
    // A look that starts the program takes as much of the machine as what it waits for: that has its turn in between.
    const pause = Math.min(Math.max(performance.now() - began, 50), 1000);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (pauses.hasAsked()) await pauses.news();
  }
}
