/** The context of every command: the state folder and the repository. */
import { cacheRoot, integrationDir, stateRoot, wallDir, worktreesDir } from '../config/paths.js';
import { findWall } from '../git/confinement/wall.js';
import { RepositoryError } from '../git/errors.js';
import { projectName } from '../git/project-name.js';
import { inspectRepository, type Repository } from '../git/repository.js';
import { brokenHead } from '../git/worktrees/moved.js';
import type { Teller } from '../protocol/command.js';
import { homeOf, homeOfLost } from '../run-files/project-home.js';
import { jsonText } from './output.js';
import { linked } from './views/links.js';
import { forPeople } from './views/terminal.js';

export interface Context {
  root: string;
  cacheRoot: string;
  env: NodeJS.ProcessEnv;
  /** Folder the command was given or runs in. */
  cwd: string;
  json: boolean;
}

export function makeContext(options: { repo?: string; json?: boolean }): Context {
  const { env } = process;
  return {
    root: stateRoot(env),
    cacheRoot: cacheRoot(env),
    env,
    cwd: options.repo ?? process.cwd(),
    json: options.json ?? false,
  };
}

/** Results go to stdout, progress and messages to stderr, so that output can be piped. */
export const print = (text: string): void => tellOn(process.stdout, text);
export const say = (text: string): void => tellOn(process.stderr, text);
const tellOn = (stream: NodeJS.WriteStream, text: string): void =>
  void stream.write(`${linked(forPeople(text, stream), stream)}\n`);
export const printJson = (value: unknown): void => void process.stdout.write(`${jsonText(value)}\n`);

/* The repository a command is about, and the project id that names its workflows and files. */

export interface Project {
  id: string;
  repository: Repository;
}

/** @throws RepositoryError when the folder is not inside a usable git repository. */
export async function findProject(context: Context): Promise<Project> {
  const repository = await inspectRepository(context.cwd);
  const { root, commonDir } = repository;
  const id = await homeOf(context.root, repository, projectName(commonDir));
  const linked = [worktreesDir(context.root, id), integrationDir(context.root, id)];
  // Even a command that only reads must not run a program of an agent.
  await findWall({ commonDir, root, linked, dir: wallDir(context.root, id) });
  return { id, repository };
}

/** The project alone. Commands to a run also work when the repository is gone, so that people can inspect and end the run. */
export async function findProjectId(context: Context): Promise<string> {
  try {
    return (await findProject(context)).id;
  } catch (error) {
    const lost = error instanceof RepositoryError ? await homeOfLost(context.root, context.cwd) : undefined;
    if (!lost) throw error;
    const broken = await brokenHead(lost.repo);
    say(
      broken === undefined
        ? `warning: ${lost.repo} is no longer a git repository. ralphctl still knows its runs. Restore its .git folder, or end the run: ralphctl abort. If you moved the repository, call ralphctl in the new folder`
        : `warning: ${broken}. ralphctl still knows its runs; open work waits. To end the run: ralphctl abort`,
    );
    return lost.id;
  }
}

/*
 * Tells which front end a person uses: the full screen runs commands of the command line and sets this variable.
 * Imports types only.
 */

export const TELLER_ENV = 'RALPHCTL_TELLER';

export const teller = (env: NodeJS.ProcessEnv = process.env): Teller =>
  env[TELLER_ENV] === 'screen' ? 'screen' : 'cli';
