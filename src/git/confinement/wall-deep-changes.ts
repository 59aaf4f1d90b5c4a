/**
 * Which changes in the files of worktrees and submodules matter. Changes that git makes when it sets one up or removes
 * it do not.
 */
import { basename } from 'node:path';
import { changedSettings } from './wall-config.js';
import { type Files, same, textOf } from './wall-files.js';

export const isDeep = (name: string): boolean => /^(?:worktrees|modules)\//.test(name);

const WORKTREE_CONFIG = /^(?:worktrees\/[^/]+\/)?config\.worktree$/;
/** Settings that git writes for a submodule that it sets up. */
export const SET_UP =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|symlinks|ignorecase|precomposeunicode)|extensions\.(?:objectformat|refstorage)|submodule\.active)$/;
/** Changes that happen while ralphctl sets up the copy of a worktree. */
const OF_COPY = /^(?:remote\..+\.(?:url|fetch|tagopt)|submodule\..+\.(?:url|active|branch))$/s;

/**
 * Settings that matter in a changed configuration file, or `['']` for another file; an empty list: the change may stay.
 */
export async function deepChanges(name: string, was: Files, is: Files): Promise<string[]> {
  // Worktrees and submodules come and go, and a removed file runs nothing.
  if (is[name] === undefined) return [];
  if (is[name].link !== undefined && is[name].link !== was[name]?.link) return [''];
  if (WORKTREE_CONFIG.test(name)) return ofWorktree(name, was, textOf(is[name]));
  if (/\/config(?:\.worktree)?$/.test(name) && !name.includes('/hooks/'))
    return ofSubmodule(name, textOf(was[name]), textOf(is[name]));
  // From the same template as the repository's own hooks.
  const model = name.includes('/hooks/') ? was[`hooks/${basename(name)}`] : undefined;
  return was[name] === undefined && model && same(model, is[name]) ? [] : [''];
}

/** git copies the settings of a checkout into a new worktree and omits some. */
async function ofWorktree(name: string, was: Files, text: string): Promise<string[]> {
  const has = await changedSettings('', text);
  const changed = await changedSettings(textOf(was[name]), text);
  if (changed.length === 0) return [];
  for (const model of Object.keys(was).filter((one) => one !== name && WORKTREE_CONFIG.test(one))) {
    const other = await changedSettings(textOf(was[model]), text);
    if (!other.some((key) => has.includes(key))) return [];
  }
  return changed;
}

async function ofSubmodule(name: string, was: string, is: string): Promise<string[]> {
  const [changed, had] = await Promise.all([changedSettings(was, is), changedSettings('', was)]);
  const copy = name.startsWith('worktrees/');
  return changed.filter((key) => !(SET_UP.test(key) && !had.includes(key)) && !(copy && OF_COPY.test(key)));
}
