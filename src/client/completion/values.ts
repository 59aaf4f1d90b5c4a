/**
 * Values for shell completion: ids of the last run, agents of the configuration, branches of the shell's repository.
 * Invariant: reads files only, starts no program and checks no shapes. A missing or damaged file gives no values.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BUILT_IN_AGENTS } from '../../config/agent-spec.js';
import { CONFIG_FILES } from '../../config/file-names.js';
import { readOwn } from '../../config/own-files.js';
import { isRunId, projectDir, runDir, runsDir, stateRoot } from '../../config/paths.js';
import { readInput } from '../../config/read-input.js';
import { projectName } from '../../git/project-name.js';
import { commonDirAt } from '../../git/worktrees/moved.js';

/** Newest first. */
export async function runIds(repo: string): Promise<string[]> {
  const project = await projectAt(repo);
  if (project === undefined) return [];
  return (await readdir(runsDir(stateRoot(), project)).catch(() => [])).filter(isRunId).sort().reverse();
}

export async function ideaIds(repo: string): Promise<string[]> {
  return (await lastIdeas(repo))?.ids ?? [];
}

/** The newest run with a backlog that can be read: a start that was cut off left none. */
async function lastIdeas(repo: string): Promise<{ dir: string; ids: string[] } | undefined> {
  const project = (await projectAt(repo)) ?? '';
  for (const runId of (await runIds(repo)).slice(0, MOST_RUNS)) {
    const dir = runDir(stateRoot(), project, runId);
    const ideas = await read<({ id?: unknown } | null)[]>(join(dir, 'backlog.json'));
    if (!Array.isArray(ideas)) continue;
    const added = await readdir(join(dir, 'added')).catch(() => []);
    const ids = ideas.flatMap((idea) => (typeof idea?.id === 'string' ? idea.id : []));
    return { dir, ids: [...ids, ...added.flatMap((name) => (name.endsWith('.json') ? name.slice(0, -5) : []))] };
  }
  return undefined;
}

const MOST_RUNS = 10;

/** Without those that have landed, as far as the events of the last run tell. */
export async function openIdeaIds(repo: string): Promise<string[]> {
  const { dir, ids } = (await lastIdeas(repo)) ?? { ids: [] };
  if (dir === undefined) return ids;
  const landed = new Set<string>();
  for (const line of ((await textOf(join(dir, 'events.jsonl'))) ?? '').split('\n')) {
    if (!line.includes('"kind":"idea"')) continue;
    const { idea, status } = parsed(line);
    if (typeof idea !== 'string') continue;
    if (status === 'landed') landed.add(idea);
    else landed.delete(idea);
  }
  return ids.filter((id) => !landed.has(id));
}

/** A person waits for the answer. */
const MOST_READ = 20_000_000;

/** Undefined where there is no file that can be read quickly. */
const textOf = (path: string): Promise<string | undefined> => readInput(path, MOST_READ).then(String, () => undefined);

function parsed(line: string): { idea?: unknown; status?: unknown } {
  try {
    return JSON.parse(line) as { idea?: unknown; status?: unknown };
  } catch {
    return {};
  }
}

/** The built-in agents, and those that the nearest configuration defines. */
export async function agents(repo: string): Promise<string[]> {
  return [...new Set([...BUILT_IN_AGENTS, ...(await configuredAgents(repo))])];
}

async function configuredAgents(repo: string): Promise<string[]> {
  for (const dir of await foldersOf(repo)) {
    for (const name of CONFIG_FILES) {
      const text = await textOf(join(dir, name));
      // Most files define no agent, and the parser takes a while to load.
      if (text === undefined) continue;
      if (!/^\s*["']?agents["']?\s*:/m.test(text)) return [];
      const { parse } = await import('yaml');
      try {
        const read = parse(text) as { agents?: object } | null;
        return Object.keys(read?.agents ?? {});
      } catch {
        return [];
      }
    }
  }
  return [];
}

/** Local branches. A repository that stores refs in tables gives none. */
export async function branches(repo: string): Promise<string[]> {
  const commonDir = await commonDirOf(repo);
  if (commonDir === undefined) return [];
  const dir = join(commonDir, 'refs', 'heads');
  const found = await readdir(dir, { recursive: true, withFileTypes: true }).catch((): Dirent[] => []);
  const loose = found
    .filter((one) => one.isFile() && !one.name.endsWith('.lock'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1));
  const packed = (await textOf(join(commonDir, 'packed-refs'))) ?? '';
  const names = [...packed.matchAll(/^[0-9a-f]+ refs\/heads\/(.+)$/gm)].map(([, name = '']) => name);
  return [...new Set([...loose, ...names])].sort();
}

/** The folder and those above it, up to the top of its checkout. */
async function foldersOf(repo: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = resolve(repo); ; folder = dirname(folder)) {
    folders.push(folder);
    if ((await commonDirAt(folder)) !== undefined || dirname(folder) === folder) return folders;
  }
}

const commonDirOf = async (repo: string): Promise<string | undefined> =>
  commonDirAt((await foldersOf(repo)).at(-1) ?? repo);

async function projectAt(repo: string): Promise<string | undefined> {
  const commonDir = await commonDirOf(repo);
  if (commonDir === undefined) return undefined;
  const named = projectName(commonDir);
  // A moved repository keeps its project.
  const moved = await read<{ project?: string }>(join(projectDir(stateRoot(), named), 'moved.json'));
  return typeof moved?.project === 'string' ? moved.project : named;
}

async function read<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse((await readOwn(path)) ?? '') as T;
  } catch {
    return undefined;
  }
}
