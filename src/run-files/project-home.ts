/**
 * Finds a repository's project folder in the state folder. The path of its git directory gives a project its name. The
 * project keeps its name, runs and worktrees when the repository moves.
 * Invariant: ralphctl never assigns the project of an existing repository to another one.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { projectDir, runDir } from '../config/paths.js';
import { readNote, STORED_VERSION } from '../config/stored.js';
import { canonical } from '../git/worktrees/list.js';
import { commonDirAt, registrations, repairLinks } from '../git/worktrees/moved.js';
import { listRuns, writeAtomically } from './run.js';
import { RUN_FILE, type RunFile } from './shapes.js';

/** In the folder for a moved repository's new path: the name of its existing project. */
const MOVED = 'moved.json';

/** A damaged file is no loss: the repository's worktrees lead to the project as well. */
const moved = z.looseObject({ project: z.string().refine((id) => id === basename(id)) });

interface Place {
  /** Root of the checkout. */
  root: string;
  commonDir: string;
}

/** The project of a repository. `named`: the name by its path. A moved repository gets its old project back. */
export async function homeOf(state: string, repository: Place, named: string): Promise<string> {
  const { commonDir } = repository;
  const repo = await repoOf(state, named);
  const owner = repo === undefined ? undefined : await commonDirAt(repo);
  if (repo !== undefined && (owner === undefined || owner === commonDir)) {
    // The repository moved away and back, or a person removed the linked checkout of the start.
    if (owner === undefined) await takeOver(state, named, repository);
    return named;
  }
  // The repository that was here before moved away and kept the name.
  const own = owner === undefined ? named : again(named, commonDir);
  const known = await readMoved(state, own);
  if (known !== undefined && (await belongsTo(state, known, commonDir))) return known;
  if ((await repoOf(state, own)) !== undefined) return own;
  const before = await movedFrom(state, commonDir, own);
  if (before === undefined) return own;
  await takeOver(state, before, repository);
  await mkdir(projectDir(state, own), { recursive: true, mode: 0o700 });
  await writeAtomically(
    join(projectDir(state, own), MOVED),
    JSON.stringify({ version: STORED_VERSION, project: before }),
  );
  return before;
}

/** The project of a folder that is no longer a git repository, found by its newest run. */
export async function homeOfLost(state: string, cwd: string): Promise<{ id: string; repo: string } | undefined> {
  const here = await canonical(cwd);
  const found: { id: string; repo: string; run: string }[] = [];
  for (const id of await readdir(join(state, 'projects')).catch(() => [])) {
    const repo = await repoOf(state, id);
    if (repo === undefined || (here !== repo && !here.startsWith(`${repo}/`))) continue;
    found.push({ id, repo, run: (await listRuns(state, id).catch(() => []))[0] ?? '' });
  }
  // Prefers the inner of nested repositories, and the latest of several at one path.
  return found.sort((a, b) => b.repo.length - a.repo.length || (a.run < b.run ? 1 : -1))[0];
}

const again = (named: string, commonDir: string): string =>
  named.replace(/[0-9a-f]{8}$/, createHash('sha256').update(`${commonDir}\nagain`).digest('hex').slice(0, 8));

/** Skips an unreadable run here; other code reports it when it loads that run. */
const readRun = (state: string, project: string, runId: string): Promise<RunFile | undefined> =>
  readNote(join(runDir(state, project, runId), 'run.json'), RUN_FILE.schema, 'skip').catch(() => undefined);

/** The present or former path of a project's repository, from its newest readable run. */
async function repoOf(state: string, project: string): Promise<string | undefined> {
  for (const runId of await listRuns(state, project).catch(() => [])) {
    const run = await readRun(state, project, runId);
    if (run) return run.repo;
  }
  return undefined;
}

async function belongsTo(state: string, project: string, commonDir: string): Promise<boolean> {
  const repo = await repoOf(state, project);
  return repo !== undefined && (await commonDirAt(repo)) === commonDir;
}

async function readMoved(state: string, project: string): Promise<string | undefined> {
  const found = await readNote(join(projectDir(state, project), MOVED), moved, 'throw');
  return found?.project;
}

/** The project whose worktrees this repository lists, and whose own repository is gone. */
async function movedFrom(state: string, commonDir: string, own: string): Promise<string | undefined> {
  const projects = join(await realpath(state).catch(() => state), 'projects');
  const names = new Set<string>();
  for (const { path } of await registrations(commonDir)) {
    const [name = '..'] = relative(projects, path).split('/');
    if (name !== '..' && name !== own) names.add(name);
  }
  for (const name of names) {
    const repo = await repoOf(state, name);
    if (repo === undefined) continue;
    const owner = await commonDirAt(repo);
    if (owner === undefined || owner === commonDir) return name;
  }
  return undefined;
}

/** Writes the new path into the files of the runs, so that an open run continues there. */
async function takeOver(state: string, project: string, { root, commonDir }: Place): Promise<void> {
  for (const runId of await listRuns(state, project)) {
    const run = await readRun(state, project, runId);
    if (!run || run.repo === root) continue;
    const { file } = run.backlog;
    const moved = file.startsWith(`${run.repo}/`) ? join(root, relative(run.repo, file)) : file;
    const path = join(runDir(state, project, runId), 'run.json');
    await writeAtomically(
      path,
      JSON.stringify({ ...run, repo: root, backlog: { ...run.backlog, file: moved } }, null, 2),
    );
  }
  await repairLinks(commonDir);
}
