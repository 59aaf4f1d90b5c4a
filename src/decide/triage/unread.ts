/**
 * Which reports an agent should read: those that gates 1, 2 and 4 let through, the best first.
 * Invariant: pure. A report that has been read, or that a person rejected, is not among them.
 */
import type { Triage } from '../../protocol/triage.js';

export function unread({ survivors, rejected }: Triage): string[] {
  const kept = survivors.flatMap(({ id, judgedBy }) => (judgedBy === undefined ? [id] : []));
  // The rules of gates 3 and 5 know words only; an agent may see more.
  const doubted = rejected.flatMap(({ id, gate, judgedBy }) =>
    judgedBy === undefined && (gate === 'project' || gate === 'actionable') ? [id] : [],
  );
  return [...kept, ...doubted];
}
