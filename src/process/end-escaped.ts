/**
 * Ends what got away from a run, and looks often enough while it runs that little gets away.
 * Invariant: only what was seen to descend from the run, or what `findEscaped` has evidence for, is ended.
 */
import { type EscapeRules, findEscaped, programOf } from './escaped.js';
import type { Identity } from './identity.js';
import { killTree, TreeWatch } from './kill.js';
import { findByToken } from './tokens.js';

/** Between two looks at the process table. */
const LOOK_EVERY_MS = 500;
/** A look costs at most this share of the time. */
const SHARE = 0.01;
/** Somebody may start another one while the first is ended. */
const MOST_ROUNDS = 5;

export const named = (program: string, pid: number): string => `${program} (pid ${pid})`;

/** Remembers the tree's processes while their parents live. Call what it returns when the run is over. Linux only. */
export function lookOften(tree: TreeWatch): () => void {
  let timer: NodeJS.Timeout | undefined;
  let over = process.platform !== 'linux';
  const look = async (): Promise<void> => {
    const begun = performance.now();
    await tree.look().catch(() => undefined);
    next((performance.now() - begun) / SHARE);
  };
  const next = (ms: number): void => {
    if (!over) timer = setTimeout(() => void look(), Math.max(LOOK_EVERY_MS, ms));
  };
  next(0);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

/** Living processes of a run that has ended that are in no group of it and do not carry its token. */
export async function withoutToken(tree: TreeWatch, token: string): Promise<string[]> {
  const moved = await tree.movedAway();
  if (moved.length === 0) return [];
  const carriers = new Set((await findByToken(token)).map(({ pid }) => pid));
  return moved.filter(({ pid }) => !carriers.has(pid)).map(({ pid }) => named(programOf(pid), pid));
}

/** Ends what `findEscaped` finds, and all that descends from it. */
export async function endEscaped(
  tree: TreeWatch,
  rules: EscapeRules,
  graceMs: number,
): Promise<{ names: string[]; unkillable: Identity[] }> {
  const names = new Set<string>();
  let unkillable: Identity[] = [];
  for (let round = 0; round < MOST_ROUNDS && unkillable.length === 0; round++) {
    const found = await findEscaped(rules);
    if (found.length === 0) break;
    for (const { program, pid } of found) names.add(named(program, pid));
    tree.know(found);
    unkillable = await killTree(tree, graceMs, true);
  }
  return { names: [...names], unkillable };
}

/** Ends what is left in `places` of a run that this process has not started. */
export async function endLeftIn(places: readonly string[], since: Date): Promise<Identity[]> {
  const [first, ...rest] = await findEscaped({ since, places, env: {} });
  if (!first) return [];
  const tree = new TreeWatch({ root: first, findStrays: async () => [] });
  tree.know(rest);
  return killTree(tree, 2000, true);
}
