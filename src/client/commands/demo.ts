/**
 * `ralphctl demo`: the main job in a throw-away repository with the scripted agent. Needs no agent, no key, no network
 * beyond getting the server the first time.
 */
import { cp, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { git } from '../../git/git.js';
import { type Context, print, say } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { UserError } from '../user-error.js';
import { program } from '../worker-process.js';
import { start } from './start.js';

export interface DemoOptions {
  /** Folder to make the repository in; must be empty or absent. */
  keep?: string;
}

export async function demo(context: Context, options: DemoOptions): Promise<number> {
  const repo = await makeRepository(options.keep);
  say(`a scratch repository: ${repo}`);
  const code = await start({ ...context, cwd: repo }, { wait: false });
  if (code !== EXIT.ok || context.json) return code;
  const log = await git(repo).run(['log', '--format=%h %s', '--reverse', 'main']);
  print('\nwhat landed on main:');
  for (const line of log.trim().split('\n').slice(1)) print(`  ${line}`);
  print(`\nlook around: cd ${repo} && git log -p   or: ralphctl -C ${repo} status`);
  return code;
}

async function makeRepository(keep: string | undefined): Promise<string> {
  if (keep !== undefined) {
    await mkdir(keep, { recursive: true });
    if ((await readdir(keep)).length > 0) throw new UserError(`${keep} is not empty; name an empty or a new folder`);
  }
  const repo = keep ?? (await mkdtemp(join(tmpdir(), 'ralphctl-demo-')));
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
