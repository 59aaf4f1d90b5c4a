/** Processes that a signal or their terminal halted: they take no other signal than SIGKILL until a SIGCONT. Reads only. */
import { type Identity, isAlive } from './identity.js';
import { type ProcessRow, processTable } from './table.js';

/** A process and its children, as far as they are halted. What they started may halt itself. */
export async function haltedWith(parent: Identity): Promise<ProcessRow[]> {
  const halted = (await processTable()).filter((row) => row.halted && [row.pid, row.ppid].includes(parent.pid));
  return halted.length > 0 && (await isAlive(parent)) ? halted : [];
}
