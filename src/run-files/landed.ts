/** Which ideas of a run need no work: ticked, or on the target; unless a person wants them again. Which ticks disagree with that. Pure. */
import type { Idea } from '../protocol/idea.js';

export function needNoWork(
  ideas: Iterable<Idea>,
  onTarget: ReadonlySet<string>,
  again: readonly string[] = [],
): string[] {
  return [...ideas].filter(({ id, done }) => !again.includes(id) && (done || onTarget.has(id))).map(({ id }) => id);
}

/** Blues that are ticked although ideas in them are open, with those ideas: they do not count as landed (A4). */
export function tickedTooEarly(
  ideas: Iterable<Idea>,
  needNone: ReadonlySet<string>,
): { blue: string; open: string[] }[] {
  const all = new Map([...ideas].map((idea) => [idea.id, idea]));
  const early = new Map<string, string[]>();
  for (const { id, parent, blue } of all.values()) {
    if (blue || needNone.has(id)) continue;
    const seen = new Set<string>();
    for (let up = parent; up !== undefined && !seen.has(up); up = all.get(up)?.parent) {
      seen.add(up);
      const above = all.get(up);
      if (above?.blue && above.done) early.set(up, [...(early.get(up) ?? []), id]);
    }
  }
  return [...early].map(([blue, open]) => ({ blue, open }));
}
