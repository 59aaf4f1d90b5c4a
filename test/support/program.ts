/** Runs the built program as users do, in repositories made for one test. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { StampedEvent } from '../../src/protocol/events.js';

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
  const commit = async (message: string): Promise<void> => {
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', message);
  };
  const run = async (...args: string[]): Promise<Outcome> => {
    const done = await execa(process.execPath, [cliPath, ...args], { cwd: repo, env, extendEnv: false, reject: false });
    const json = done.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { code: done.exitCode ?? -1, stdout: done.stdout, stderr: done.stderr, json };
  };
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Test User');
  await git('config', 'user.email', 'test@localhost');
  await write(files);
  await commit('start');
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
      if (await mayBeOpen(env.RALPHCTL_HOME ?? stateRoot, repo)) await run('abort');
      await run('worker', '--stop');
      await rm(base, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** False only where the repository has runs, and each has ended. Answers from files, because an abort starts the program. */
async function mayBeOpen(stateRoot: string, repo: string): Promise<boolean> {
  const projects = join(stateRoot, 'projects');
  const runs = async (project: string): Promise<string[]> => {
    const dir = join(projects, project, 'runs');
    return (await readdir(dir).catch(() => [])).map((name) => join(dir, name));
  };
  const all = (await Promise.all((await readdir(projects).catch(() => [])).map(runs))).flat();
  const isOurs = async (run: string): Promise<boolean> =>
    readFile(join(run, 'run.json'), 'utf8').then(
      (text) => (JSON.parse(text) as { repo?: string }).repo === repo,
      () => false,
    );
  const ours = (await Promise.all(all.map(async (run) => ((await isOurs(run)) ? run : undefined)))).filter(
    (run) => run !== undefined,
  );
  return ours.length === 0 || ours.some((run) => !existsSync(join(run, 'summary.json')));
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
export async function until<T>(what: string, check: () => Promise<T | undefined | false>, ms = 60_000): Promise<T> {
  const end = Date.now() + ms;
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
  }
}

/** The events of a run, once it is over; everything must have landed. `ms`: the longest it may take. */
export async function whenAllLanded(box: Sandbox, runId: string, ms: number): Promise<StampedEvent[]> {
  const over = await until(
    'the end of the run',
    async () => {
      const { code, json } = await box.run('status', '--json');
      return code === 6 && json[0];
    },
    ms,
  );
  expect(over).toMatchObject({ last: { notLanded: [] } });
  return events(await box.run('logs', '--json', '--run', runId));
}
