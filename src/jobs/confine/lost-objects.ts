/**
 * Objects of the repository that a named pipe replaced: they are lost, and git fails where it needs one. Tells so, with
 * the command that brings one back.
 * Invariant: reads only.
 */
import type { Wall } from '../../git/confinement/wall.js';
import type { Breach, Change } from '../../git/confinement/wall-sections.js';
import { git } from '../../git/runner.js';
import { shellQuoted } from '../../protocol/shell-words.js';

const LOOSE = /\/objects\/([0-9a-f]{2})\/([0-9a-f]{38}|[0-9a-f]{62})$/;

/** `worktree`: of the idea; its files may have the content as well. */
export async function withLostObjects<T extends Breach>({ root }: Wall, breach: T, worktree?: string): Promise<T> {
  if (!breach.changes.some(({ pipe, file }) => pipe && LOOSE.test(file))) return breach;
  const places = worktree === undefined ? [root] : [root, worktree];
  const changes: Change[] = [];
  for (const change of breach.changes) {
    const [, folder, rest] = (change.pipe && LOOSE.exec(change.file)) || [];
    changes.push(folder && rest ? { ...change, ...(await lost(places, `${folder}${rest}`)) } : change);
  }
  return { ...breach, changes };
}

async function lost(places: readonly string[], object: string): Promise<Pick<Change, 'lost' | 'fix'>> {
  const [root = ''] = places;
  const there = await git(root).result(['cat-file', '-e', object], { ok: [0, 1, 128] });
  // A pack has it, too, or it came back.
  if (there.code === 0) return {};
  const what = `the object ${object} that was there was lost, and git fails where it is still missing`;
  for (const place of places) {
    const path = await pathOf(place, object);
    if (path !== undefined)
      return {
        lost: `${what}; ${path} has its content`,
        fix: `git -C ${shellQuoted(place)} hash-object -w -- ${shellQuoted(path)}`,
      };
  }
  const remotes = await git(root).run(['remote'], { read: true });
  return remotes === ''
    ? { lost: `${what}; copy it from another clone or a backup` }
    : { lost: `${what}; a remote may have it`, fix: `git -C ${shellQuoted(root)} fetch --refetch` };
}

/** A file there that still has this content. */
async function pathOf(place: string, object: string): Promise<string | undefined> {
  const staged = await git(place).run(['ls-files', '-s', '-z'], { read: true });
  for (const entry of staged.split('\0')) {
    const tab = entry.indexOf('\t');
    if (tab < 0 || !entry.slice(0, tab).includes(` ${object} `)) continue;
    const path = entry.slice(tab + 1);
    const is = await git(place).result(['hash-object', '--', path], { ok: [0, 1, 128] });
    if (is.code === 0 && is.stdout.trim() === object) return path;
  }
  return undefined;
}
