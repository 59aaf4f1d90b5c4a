/**
 * Programs that the user's git settings name and that lie inside the repository: in a worktree, git runs the agent's
 * version of them.
 * Invariant: reads only. It knows paths and `python -m`; a program elsewhere that itself calls files of the repository
 * is not found.
 */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { orNone } from '../regular.js';
import { git } from '../runner.js';

export interface InsideProgram {
  /** The setting, such as `filter.x.clean`. */
  key: string;
  /** Below the top of the repository. */
  path: string;
}

const KEYS =
  '^(core\\.hookspath|filter\\..*\\.(clean|smudge|process)|merge\\..*\\.driver|diff\\..*\\.(textconv|command))$';

/** `hooks`: ralphctl runs the user's commit hooks. */
export async function insidePrograms(root: string, hooks: boolean): Promise<InsideProgram[]> {
  // Otherwise our own core.hooksPath hides the user's.
  const listed = await git(root).result(['config', '-z', '--get-regexp', KEYS], {
    ok: [0, 1],
    read: true,
    hooks: true,
  });
  // Of several values, git uses the last one.
  const settings = new Map(
    listed.stdout
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const end = entry.indexOf('\n');
        return end < 0 ? ([entry, ''] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const);
      }),
  );
  const found: InsideProgram[] = [];
  for (const [key, value] of settings) {
    const isHooks = key === 'core.hookspath';
    if (isHooks && !hooks) continue;
    const path = isHooks ? await inside(root, value) : await firstInside(root, value);
    if (path !== undefined) found.push({ key: isHooks ? 'core.hooksPath' : key, path });
  }
  return found;
}

async function firstInside(root: string, command: string): Promise<string | undefined> {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|[^\s;|&<>()]+/g)].map(([all, a, b]) => a ?? b ?? all);
  for (const [n, word] of words.entries()) {
    const module = words[n - 1] === '-m' ? word.replaceAll('.', '/') : undefined;
    // A bare first word is looked up in PATH.
    for (const path of module === undefined ? [word] : [`${module}.py`, module])
      if ((n > 0 || path.includes('/')) && !path.startsWith('-')) {
        const at = await inside(root, path);
        if (at !== undefined) return at;
      }
  }
  return undefined;
}

/** The path below the top, if something is there; a relative one counts from the top. */
async function inside(root: string, path: string): Promise<string | undefined> {
  if (path === '' || path.startsWith('~') || path.includes('%')) return undefined;
  const at = resolve(root, path);
  const there = await stat(at).catch(orNone);
  if (!there || at === root) return undefined;
  const [top, real] = await Promise.all([realpath(root), realpath(at)]);
  const below = relative(top, real);
  // The checkout's own copy, named by its whole path, is the user's version.
  return isAbsolute(path) || below === '' || below.startsWith('..') || isAbsolute(below) || below.startsWith('.git/')
    ? undefined
    : below;
}

/** For a person: the problem, and the command that fixes it. */
export function insideText({ key, path }: InsideProgram, root: string): { found: string; fix: string } {
  if (key === 'core.hooksPath')
    return {
      found: `commit.hooks runs the hooks in ${path}, which is part of the repository: in a worktree, the hooks are the agent's version`,
      fix: 'let the gate run these checks, and set commit.hooks: false; or install hooks outside: git config core.hooksPath /a/folder/elsewhere',
    };
  return {
    found: `git's setting ${key} runs ${path}, which is part of the repository: in a worktree, git runs the agent's version`,
    fix: `name a copy by its whole path, which agents do not change: git config ${key} '… ${join(root, path)}'`,
  };
}

export async function insideWarnings(root: string, hooks: boolean): Promise<string[]> {
  return (await insidePrograms(root, hooks)).map((one) => {
    const { found, fix } = insideText(one, root);
    return `${found}. Fix: ${fix}`;
  });
}
