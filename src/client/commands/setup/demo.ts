/**
 * `ralphctl demo`: lands a backlog in a throw-away repository with the scripted agent. It needs no agent and no key,
 * and the network only to download the server the first time.
 */

import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from '../../../git/runner.js';
import { makeTemporary } from '../../../process/temporary.js';
import { many } from '../../../protocol/many.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { called } from '../../called.js';
import { type Context, findProject, print, printJson, say } from '../../context.js';
import { program, stopWorker } from '../../worker-process.js';
import { start } from '../run/start.js';

export interface DemoOptions {
  /** Folder for the repository; must be empty or absent. */
  keep?: string;
  /** Kill worker and server during the run. */
  chaos?: boolean;
}

export async function demo(context: Context, options: DemoOptions): Promise<number> {
  const repo = await makeRepository(options.keep);
  say(`scratch repository: ${repo}`);
  if (options.chaos) return chaos({ ...context, cwd: repo }, repo);
  const code = await start({ ...context, cwd: repo }, { wait: false });
  // A throw-away repository gets no further work, so its worker would only wait.
  if (code === EXIT.ok) await stopWorker(context, (await findProject({ ...context, cwd: repo })).id);
  if (code !== EXIT.ok || context.json) return code;
  await showLanded(repo);
  print('');
  print(`to look around: cd ${repo} && git log -p   or: ${called({ cwd: repo })} logs`);
  print(`the Temporal server keeps running; to stop it: ${called({ cwd: process.cwd() })} server stop`);
  print(
    `next, in the folder of your own repository: ${called(context, { anywhere: true })} init, then doctor, then start`,
  );
  return code;
}

async function showLanded(repo: string): Promise<void> {
  const log = await git(repo).run(['log', '--format=%h %s', '--reverse', 'main']);
  print('\nwhat landed on main:');
  for (const line of log.trim().split('\n').slice(1)) print(`  ${line}`);
}

/** Uses a state folder and a server of its own, so that no kill hits the server of the user's other repositories. */
async function chaos(context: Context, repo: string): Promise<number> {
  const root = await makeTemporary('demo-state');
  const env = { ...context.env, RALPHCTL_HOME: root, RALPHCTL_PORT: '0', RALPHCTL_UI_PORT: '0' };
  const own = { ...context, root, env };
  const project = await findProject(own);
  const over = new AbortController();
  say(
    'chaos: ralphctl kills the worker and the server of this run with SIGKILL. The demo has its own server; yours is untouched',
  );
  const { sabotage } = await import('../../saboteur.js');
  const striking = sabotage(root, project.id, say, over.signal);
  try {
    const code = await start(own, { wait: false });
    over.abort();
    const blows = await striking;
    const hits = (what: 'worker' | 'server'): number => blows.filter((blow) => blow.what === what).length;
    const { landed, twice } = await landings(repo);
    if (context.json) printJson({ kind: 'chaos', blows, landed, twice });
    else {
      await showLanded(repo);
      print(`\nSIGKILL: worker ${hits('worker')} times, server ${hits('server')} times`);
      print(`${many(landed.length, 'idea')} landed; landed twice: ${twice.length === 0 ? 'none' : twice.join(', ')}`);
    }
    return twice.length > 0 ? EXIT.internal : code;
  } finally {
    over.abort();
    await stopWorker(own, project.id);
    const { stopServer } = await import('../../../server/stop.js');
    await stopServer(root);
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
    // Its worktrees were in that folder.
    await git(repo).run(['worktree', 'prune']);
  }
}

/** Counts in git, not in the run's own report. The demo's script adds each file once. */
async function landings(repo: string): Promise<{ landed: string[]; twice: string[] }> {
  const lines = async (...args: string[]): Promise<string[]> =>
    (await git(repo).run(['log', ...args, 'main'])).split('\n').filter(Boolean);
  const ideas = await lines('--format=%(trailers:key=Ralph-Idea,valueonly)');
  const added = await lines('--diff-filter=A', '--name-only', '--format=');
  return { landed: [...new Set(ideas)], twice: added.filter((path, at) => added.indexOf(path) !== at) };
}

async function makeRepository(keep: string | undefined): Promise<string> {
  if (keep !== undefined) {
    await mkdir(keep, { recursive: true });
    if ((await readdir(keep)).length > 0) throw new UserError(`${keep} is not empty. Name an empty or a new folder`);
  }
  const repo = keep ?? (await makeTemporary('demo'));
  await cp(join(dirname(program()), '..', 'examples', 'demo'), repo, { recursive: true });
  const run = (...args: string[]): Promise<string> => git(repo).run(args);
  await run('init', '--quiet', '--initial-branch=main');
  await run('add', '--all');
  await run(
    ...['-c', 'user.name=ralphctl demo', '-c', 'user.email=demo@localhost', '-c', 'commit.gpgsign=false'],
    ...['commit', '--quiet', '--message', 'chore: start of text-kit'],
  );
  return repo;
}
