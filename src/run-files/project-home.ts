/**
 * Which folder of the state folder belongs to a repository. A project is named after the place of its git directory, and
 * keeps its name, its runs and its worktrees when the repository moves.
 * Invariant: a project whose repository still exists is never given to another one.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { projectDir, runDir } from '../config/paths.js';
import { readNote, STORED_VERSION } from '../config/stored.js';
import { canonical } from '../git/worktrees/list.js';
import { commonDirAt, registrations, repairLinks } from '../git/worktrees/moved.js';
import { listRuns, type RunFile, writeAtomically } from './run.js';
import { RUN_FILE } from './shapes.js';

/** In the folder that a moved repository would have by its place: the name of the project that it brought along. */
const MOVED = 'moved.json';

/** A damaged one is found again by the worktrees that the repository knows. */
const moved = z.looseObject({ project: z.string().refine((id) => id === basename(id)) });

interface Place {
  /** Root of the checkout. */
  root: string;
  commonDir: string;
}

/** The project of a repository; `named` is its name by its place. One that has moved gets its old project back. */
export async function homeOf(state: string, repository: Place, named: string): Promise<string> {
  const { commonDir } = repository;
  const repo = await repoOf(state, named);
  const owner = repo === undefined ? undefined : await commonDirAt(repo);
  if (repo !== undefined && (owner === undefined || owner === commonDir)) {
    // Moved away and back, or the linked checkout that it was started in was removed.
    if (owner === undefined) await takeOver(state, named, repository);
    return named;
  }
  // The repository that had this place moved away and took the name along.
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

/** The project of a folder that is no git repository any more, by what its newest run says. */
export async function homeOfLost(state: string, cwd: string): Promise<{ id: string; repo: string } | undefined> {
  const here = await canonical(cwd);
  const found: { id: string; repo: string; run: string }[] = [];
  for (const id of await readdir(join(state, 'projects')).catch(() => [])) {
    const repo = await repoOf(state, id);
    if (repo === undefined || (here !== repo && !here.startsWith(`${repo}/`))) continue;
    found.push({ id, repo, run: (await listRuns(state, id))[0] ?? '' });
  }
  // Of nested repositories the inner one; of several at one place the one that worked last.
  return found.sort((a, b) => b.repo.length - a.repo.length || (a.run < b.run ? 1 : -1))[0];
}

const again = (named: string, commonDir: string): string =>
  named.replace(/[0-9a-f]{8}$/, createHash('sha256').update(`${commonDir}\nagain`).digest('hex').slice(0, 8));

/** One that is of no use here says so where its run is read. */
const readRun = (state: string, project: string, runId: string): Promise<RunFile | undefined> =>
  readNote(join(runDir(state, project, runId), 'run.json'), RUN_FILE.schema, 'skip').catch(() => undefined);

/** Where the repository of a project is, or was, by its newest run that can be read. */
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

/** The project whose worktrees this repository knows, and whose own repository is not where it was. */
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

/** Writes the new place into the files of the runs: an open run goes on there. */
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
