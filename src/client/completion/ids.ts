/**
 * Ids for shell completion, from the files of the last run in the shell's repository.
 * Invariant: starts no program and checks no shapes. A missing or damaged file gives no ids.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { projectDir, runDir, runsDir, stateRoot } from '../../config/paths.js';
import { projectName } from '../../git/project-name.js';
import { commonDirAt } from '../../git/worktrees/moved.js';

/** Newest first. */
export async function runIds(repo: string): Promise<string[]> {
  const project = await projectAt(repo);
  if (project === undefined) return [];
  return (await readdir(runsDir(stateRoot(), project)).catch(() => [])).sort().reverse();
}

export async function ideaIds(repo: string): Promise<string[]> {
  const project = await projectAt(repo);
  const [runId] = await runIds(repo);
  if (project === undefined || runId === undefined) return [];
  const dir = runDir(stateRoot(), project, runId);
  const [ideas, added] = await Promise.all([
    read<{ id?: unknown }[]>(join(dir, 'backlog.json')),
    readdir(join(dir, 'added')).catch(() => []),
  ]);
  const ids = (Array.isArray(ideas) ? ideas : []).flatMap(({ id }) => (typeof id === 'string' ? id : []));
  return [...ids, ...added.flatMap((name) => (name.endsWith('.json') ? name.slice(0, -'.json'.length) : []))];
}

async function projectAt(repo: string): Promise<string | undefined> {
  let folder = resolve(repo);
  for (;;) {
    const commonDir = await commonDirAt(folder);
    if (commonDir !== undefined) {
      const named = projectName(commonDir);
      // A moved repository keeps its project.
      const moved = await read<{ project?: string }>(join(projectDir(stateRoot(), named), 'moved.json'));
      return typeof moved?.project === 'string' ? moved.project : named;
    }
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

async function read<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
