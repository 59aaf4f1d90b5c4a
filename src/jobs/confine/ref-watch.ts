/**
 * Reports changes of the user's refs, stashes, remotes and HEAD that no trace explains. Each report appears once per
 * run, with the ideas that ran and the commands that undo the change. It stops nothing, because the user works there
 * too.
 * Invariant: changes nothing of the repository.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { keepPatterns } from '../../git/confinement/kept-patterns.js';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import { type Outside, type OutsidePlace, type RefMove, readMoves } from '../../git/confinement/outside.js';
import { targetTips } from '../../git/confinement/target-watch.js';
import { type Untraced, untracedChanges } from '../../git/confinement/untraced.js';
import type { Wall } from '../../git/confinement/wall.js';
import { remotesOf } from '../../git/confinement/wall-config.js';
import { orNone, textAt } from '../../git/regular.js';
import { readLinks } from '../../git/worktrees/list.js';
import { many } from '../../protocol/many.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { LONGEST_WARNING } from '../../protocol/warnings.js';

export interface RefWatch {
  place: OutsidePlace;
  wall: Wall | undefined;
  runId: string;
  /** epoch ms */
  since: number;
  before: Outside;
  after: Outside;
  /** Changes that the agent certainly made. */
  outOfBounds: readonly OutOfBoundsChange[];
}

const told = new Map<string, Set<string>>();
const MOST_RUNS = 50;

/** Changes that this run has not reported. */
export async function untoldChanges(watch: RefWatch): Promise<Untraced[]> {
  const { before, after, place, runId } = watch;
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const all = untracedChanges(before, after, await around(watch));
  const key = `${place.root}\0${runId}`;
  const known = told.get(key) ?? new Set<string>();
  const certain = watch.outOfBounds.map(({ what }) => what).join('\n');
  const fresh = all.filter((one) => !known.has(one.key) && !isCertain(one, certain));
  if (told.size >= MOST_RUNS) told.clear();
  told.set(key, new Set([...known, ...all.map((one) => one.key)]));
  return fresh;
}

/** A question about the agent already names the change. */
function isCertain({ subject, key }: Untraced, certain: string): boolean {
  if (key.startsWith('HEAD ')) return certain.includes('switched your checkout');
  if (key.startsWith('remote ')) return certain.includes('changed the configuration');
  return certain.includes(subject.replace(/^refs\/(?:heads|tags)\//, '').slice(0, 60));
}

async function around({ place, wall, since, before, after }: RefWatch): Promise<Parameters<typeof untracedChanges>[2]> {
  const { root, gitDir, commonDir } = place;
  const [was, is] = [
    { ...before.refs, ...before.more },
    { ...after.refs, ...after.more },
  ];
  const moves = new Map<string, readonly RefMove[]>();
  for (const ref of new Set([...Object.keys(was), ...Object.keys(is)]))
    if (was[ref] !== is[ref]) moves.set(ref, await readMoves(commonDir, ref));
  const tips = wall ? await targetTips(wall) : undefined;
  const heads = await worktreeHeads(commonDir);
  const same = before.config === after.config;
  return {
    ...{ root, gitDir },
    keptPatterns: await keepPatterns(wall?.dir, before, after),
    moves,
    isOurs: (ref, { to, text }) => (tips ? (tips.get(ref)?.has(to) ?? false) : text.startsWith('ralphctl:')),
    fetched: await changedSince(join(place.gitDir, 'FETCH_HEAD'), since),
    madeInWorktrees: (branch) => heads.some((log) => log.includes(` to ${branch}\n`)),
    remotes: same
      ? { before: new Map(), after: new Map() }
      : { before: await remotesOf(before.config), after: await remotesOf(after.config) },
  };
}

async function worktreeHeads(commonDir: string): Promise<string[]> {
  const names = Object.keys(await readLinks(commonDir));
  const logs = await Promise.all(names.map((name) => textAt(join(commonDir, 'worktrees', name, 'logs/HEAD'))));
  return logs.filter((log) => log !== undefined);
}

const changedSince = (path: string, since: number): Promise<boolean> =>
  stat(path).then(
    // File system clocks have a coarse resolution.
    ({ ctimeMs }) => ctimeMs >= since - 20,
    (error: unknown) => orNone(error) ?? false,
  );

const MOST_NAMED = 3;

/** One sentence, and the whole text for a file. */
export function tellOf(changes: readonly Untraced[], who: string, file: string): { text: string; report: string } {
  const named = changes.slice(0, MOST_NAMED).map(({ what, undo }) => (undo ? `${what} (undo: ${undo})` : what));
  let text = sentence(named, changes.length, who, file);
  // The file has the rest. A command that is cut is of no use.
  while (text.length > LONGEST_WARNING && named.pop()) text = sentence(named, changes.length, who, file);
  return {
    text,
    report: changes.map(({ what, undo }) => `# ${what}, while ${who} ran\n${undo ? `${undo}\n` : ''}`).join(''),
  };
}

function sentence(named: readonly string[], all: number, who: string, file: string): string {
  const left = all - named.length;
  const more = left === 0 ? '' : named.length > 0 ? ` and ${left} more` : `${many(left, 'change')} of your repository`;
  return `while ${who} ran, ${named.join('; ')}${more}: by you, or by an agent that left its worktree. See: less ${shellQuoted(file)}`;
}
