/**
 * The files below a shared git directory that decide which programs git runs in one worktree or submodule: `git status`
 * enters submodules and reads their settings.
 * Invariant: the search follows no link and is bounded in depth and number. A link in place of a folder is itself
 * listed.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { orNone } from '../regular.js';

/** Deeper than any repository goes. */
const DEEPEST = 12;
/** Folders that are read for one worktree. */
const MOST = 500;

interface Walk {
  commonDir: string;
  names: string[];
  left: number;
}

/** Their paths, relative to the shared git directory; some of them do not exist. */
export function ownFiles(commonDir: string): string[] {
  const walk: Walk = { commonDir, names: [], left: MOST };
  walkModules(walk, 'modules', 0);
  walk.left = Number.POSITIVE_INFINITY;
  for (const entry of list(walk, 'worktrees')) {
    const path = `worktrees/${entry.name}`;
    walk.names.push(`${path}/config.worktree`);
    walk.left = MOST;
    if (entry.isDirectory()) walkModules(walk, `${path}/modules`, 0);
  }
  return walk.names;
}

function list(walk: Walk, dir: string): Dirent[] {
  if (walk.left-- <= 0) return [];
  try {
    return readdirSync(join(walk.commonDir, dir), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return orNone(error) ?? [];
  }
}

/** `dir` contains submodules by name, and names may contain slashes. */
function walkModules(walk: Walk, dir: string, depth: number): void {
  if (depth > DEEPEST) return;
  for (const entry of list(walk, dir)) {
    const path = `${dir}/${entry.name}`;
    if (entry.isSymbolicLink()) walk.names.push(path);
    else if (entry.isDirectory()) walkSubmodule(walk, path, depth + 1);
  }
}

function walkSubmodule(walk: Walk, path: string, depth: number): void {
  const inside = new Map(list(walk, path).map((entry) => [entry.name, entry]));
  if (!inside.has('HEAD')) {
    walkModules(walk, path, depth);
    return;
  }
  walk.names.push(`${path}/config`, `${path}/config.worktree`, `${path}/info/attributes`);
  for (const name of ['hooks', 'info', 'modules'])
    if (inside.get(name)?.isSymbolicLink()) walk.names.push(`${path}/${name}`);
  if (inside.get('hooks')?.isDirectory())
    for (const { name } of list(walk, `${path}/hooks`))
      if (!name.endsWith('.sample')) walk.names.push(`${path}/hooks/${name}`);
  if (inside.get('modules')?.isDirectory()) walkModules(walk, `${path}/modules`, depth);
}
