/**
 * The pinned files of a run: configuration, backlog and the repository's folder. `start` writes them once, before the
 * run; activities and offline commands read them.
 * Invariant: they never change afterwards (added ideas have separate files), so a reader may cache them. Only the
 * repository's folder changes when it moves (`project-home.ts`): a reader that does not find the repository reads
 * again.
 */
import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunId, runDir, runsDir } from '../config/paths.js';
import { readExisting, readStored } from '../config/stored.js';
import { anySystemError, at } from '../config/system-errors.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import { lastRevision, readRevision } from './revisions.js';
import { ADDED_IDEA, RUN_FILE, RUN_IDEAS, type RunFile } from './shapes.js';

export interface LoadedRun {
  file: RunFile;
  dir: string;
  ideas: ReadonlyMap<string, Idea>;
}

const ADDED = 'added';
const loaded = new Map<string, LoadedRun>();
const MOST_CACHED = 8;

/**
 * The folder gets its name when it is whole, so that a start that is killed, or a power cut, leaves no half run. Callers
 * hold the project's lock: a draft of another process has no owner.
 */
export async function writeRun(root: string, file: RunFile, ideas: readonly Idea[]): Promise<string> {
  const [dir, runs] = [runDir(root, file.project, file.runId), runsDir(root, file.project)];
  await mkdir(runs, { recursive: true });
  await removeDrafts(runs);
  const draft = join(runs, `.${file.runId}-${randomUUID().slice(0, 8)}-${process.pid}${DRAFT}`);
  try {
    await mkdir(join(draft, ADDED), { recursive: true });
    await writeFiles(draft, file, ideas);
    await rename(draft, dir).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') return at(dir)(error);
      await mkdir(join(dir, ADDED), { recursive: true });
      await writeFiles(dir, file, ideas);
    });
    await flushFolder(runs);
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
  }
  return dir;
}

const DRAFT = '.new';

async function writeFiles(dir: string, file: RunFile, ideas: readonly Idea[]): Promise<void> {
  await writeAtomically(join(dir, 'backlog.json'), JSON.stringify(ideas), { flush: true });
  await writeAtomically(join(dir, 'run.json'), JSON.stringify(file, null, 2), { flush: true });
}

/** What starts that were killed left. */
async function removeDrafts(runs: string): Promise<void> {
  const names = await readdir(runs);
  const left = names.filter((name) => name.startsWith('.') && name.endsWith(DRAFT));
  const others = left.filter((name) => !name.endsWith(`-${process.pid}${DRAFT}`));
  await Promise.all(
    others.map((name) => rm(join(runs, name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

/** Not every file system can. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Adds ideas to an open run; each has its own file. */
export async function addIdeas(root: string, ref: RunRef, ideas: readonly Idea[]): Promise<void> {
  const dir = join(runDir(root, ref.project, ref.runId), ADDED);
  await mkdir(dir, { recursive: true });
  for (const idea of ideas) await writeAtomically(join(dir, `${idea.id}.json`), JSON.stringify(idea));
}

/** Removes ideas that the run rejected. */
export async function dropIdeas(root: string, ref: RunRef, ideas: readonly Idea[]): Promise<void> {
  const dir = join(runDir(root, ref.project, ref.runId), ADDED);
  await Promise.all(ideas.map((idea) => rm(join(dir, `${idea.id}.json`), { force: true })));
}

/** @throws when the files are missing; StoredFileError when they are damaged or of a newer version */
export async function loadRun(root: string, ref: RunRef): Promise<LoadedRun> {
  const dir = runDir(root, ref.project, ref.runId);
  const key = `${dir}#${ref.config ?? 0}`;
  const known = loaded.get(key);
  if (known) return known;
  const run = ref.config === undefined ? await firstRun(dir) : await revised(root, { ...ref, config: ref.config });
  if (loaded.size >= MOST_CACHED) loaded.delete(loaded.keys().next().value ?? '');
  loaded.set(key, run);
  return run;
}

/** With its newest configuration. */
export async function loadNewest(root: string, { project, runId }: RunRef): Promise<LoadedRun> {
  const config = await lastRevision(root, { project, runId });
  return loadRun(root, { project, runId, ...(config > 0 ? { config } : {}) });
}

async function firstRun(dir: string): Promise<LoadedRun> {
  const [about, backlog] = [join(dir, 'run.json'), join(dir, 'backlog.json')];
  const file = await readExisting(about, RUN_FILE);
  const ideas = await readExisting(backlog, RUN_IDEAS);
  return { file, dir, ideas: new Map(ideas.map((idea) => [idea.id, idea])) };
}

async function revised(root: string, ref: RunRef & { config: number }): Promise<LoadedRun> {
  const { config: revision, ...first } = ref;
  const run = await loadRun(root, first);
  const { config, tick } = await readRevision(root, ref, revision);
  return { ...run, file: { ...run.file, config, tick } };
}

/** Reads the files again. */
export function reloadRun(root: string, ref: RunRef): Promise<LoadedRun> {
  const dir = runDir(root, ref.project, ref.runId);
  // Every revision of the configuration also contains the repository's folder.
  for (const key of loaded.keys()) if (key.startsWith(`${dir}#`)) loaded.delete(key);
  return loadRun(root, ref);
}

export async function loadIdea(root: string, ref: RunRef, id: string): Promise<Idea | undefined> {
  const run = await loadRun(root, ref);
  const idea = run.ideas.get(id);
  if (idea) return idea;
  return readStored(join(run.dir, ADDED, `${id}.json`), ADDED_IDEA);
}

/** Ids of the run, including added ones. */
export async function knownIdeas(root: string, ref: RunRef): Promise<Set<string>> {
  const run = await loadRun(root, ref);
  const added = await readdir(join(run.dir, ADDED)).catch(() => []);
  // A killed write leaves a file of another name.
  const ids = added.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  return new Set([...run.ideas.keys(), ...ids]);
}

/**
 * Run ids of a project, newest first. The files of a run may be damaged: see `readable.ts`.
 * @throws SystemError when the folder cannot be read
 */
export async function listRuns(root: string, project: string): Promise<string[]> {
  const dir = runsDir(root, project);
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw anySystemError(error, dir) ?? error;
  });
  return names.filter(isRunId).sort().reverse();
}

const PRIVATE = 0o600;

interface Written {
  mode?: number | undefined;
  flush?: boolean;
}

/** Readable only by the user unless `mode` says otherwise, because these files contain prompts, output and settings. */
export async function writeAtomically(path: string, text: string, written: Written = {}): Promise<void> {
  await replaceFile(path, text, written);
}

/** The same, unless `still` says at the last moment that the file is not what it was. */
export async function replaceFile(
  path: string,
  text: string | Uint8Array,
  { mode = PRIVATE, flush = false, still }: Written & { still?: () => boolean } = {},
): Promise<boolean> {
  // Two writers of one process may collide too.
  const temporary = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(temporary, text, { mode, flush });
    // The mask of the process took bits away.
    if (mode !== PRIVATE) await chmod(temporary, mode);
    if (still) {
      if (still()) {
        renameSync(temporary, path);
        return true;
      }
      await rm(temporary, { force: true });
      return false;
    }
    await rename(temporary, path);
    return true;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    return at(path)(error);
  }
}
