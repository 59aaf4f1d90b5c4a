/**
 * Finds a repository's project folder in the state folder. A project is named after the place of its git directory, and
 * keeps its name, runs and worktrees when the repository moves.
 * Invariant: a project whose repository still exists is never assigned to another one.
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

/** In the folder for the new place of a moved repository: the name of its existing project. */
const MOVED = 'moved.json';

/** A damaged one is found again by the worktrees that the repository knows. */
const moved = z.looseObject({ project: z.string().refine((id) => id === basename(id)) });

interface Place {
  /** Root of the checkout. */
  root: string;
  commonDir: string;
}

/** The project of a repository; `named` is its name by its place. A moved repository gets its old project back. */
export async function homeOf(state: string, repository: Place, named: string): Promise<string> {
  const { commonDir } = repository;
  const repo = await repoOf(state, named);
  const owner = repo === undefined ? undefined : await commonDirAt(repo);
  if (repo !== undefined && (owner === undefined || owner === commonDir)) {
    // Moved away and back, or the linked checkout of the start was removed.
    if (owner === undefined) await takeOver(state, named, repository);
    return named;
  }
  // The repository that was here before moved away with the name.
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

/** The project of a folder that is no longer a git repository, by its newest run. */
export async function homeOfLost(state: string, cwd: string): Promise<{ id: string; repo: string } | undefined> {
  const here = await canonical(cwd);
  const found: { id: string; repo: string; run: string }[] = [];
  for (const id of await readdir(join(state, 'projects')).catch(() => [])) {
    const repo = await repoOf(state, id);
    if (repo === undefined || (here !== repo && !here.startsWith(`${repo}/`))) continue;
    found.push({ id, repo, run: (await listRuns(state, id))[0] ?? '' });
  }
  // Of nested repositories the inner one; of several at one place the latest one.
  return found.sort((a, b) => b.repo.length - a.repo.length || (a.run < b.run ? 1 : -1))[0];
}

const again = (named: string, commonDir: string): string =>
  named.replace(/[0-9a-f]{8}$/, createHash('sha256').update(`${commonDir}\nagain`).digest('hex').slice(0, 8));

/** One that is of no use here says so where its run is read. */
const readRun = (state: string, project: string, runId: string): Promise<RunFile | undefined> =>
  readNote(join(runDir(state, project, runId), 'run.json'), RUN_FILE.schema, 'skip').catch(() => undefined);

/** The present or former place of a project's repository, by its newest readable run. */
async function repoOf(state: string, project: string): Promise<string | undefined> {
  for (const runId of await listRuns(state, project)) {
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

/** The project whose worktrees this repository knows, and whose own repository is gone. */
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

/** Writes the new place into the files of the runs: an open run continues there. */
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
