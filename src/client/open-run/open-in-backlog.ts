/**
 * The ideas that the backlog has open: a start runs those again by itself once a reset took them off the target.
 * Invariant: reads only. Without a backlog file, as with a tracker, nobody knows, and the set is empty.
 */
import { readBacklog } from '../../backlog/index.js';
import type { RunFile } from '../../run-files/shapes.js';

export async function openInBacklog({ file, format, from }: RunFile['backlog']): Promise<ReadonlySet<string>> {
  if (from !== undefined) return new Set();
  return readBacklog(file, { format }).then(
    ({ ideas }) => new Set(ideas.flatMap(({ id, done, blue }) => (done || blue ? [] : [id]))),
    () => new Set(),
  );
}
