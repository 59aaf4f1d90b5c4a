/**
 * Ends process trees.
 * Invariant: a signal goes only to a process whose pid and start time were just seen together, or to a process group
 * with such a member. `killTree` returns only when nothing of the tree is left, or names the processes that cannot be
 * killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Identity, signalIdentity } from './identity.js';
import { descendantsOf, ownLine, type ProcessRow, processTable } from './table.js';

/** How long KILL may take to work before a process counts as unkillable (stuck in the kernel). */
const KILL_LIMIT_MS = 10_000;
const POLL_MS = 40;

/** TERM, then after `graceMs` KILL, until `find` finds nothing more. Returns the survivors of KILL. */
export async function killIdentities(find: () => Promise<Identity[]>, graceMs: number): Promise<Identity[]> {
  let alive = await find();
  if (alive.length === 0) return [];
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) {
    await Promise.all(alive.map((identity) => signalIdentity(identity, signal)));
  }
  const graceEnd = performance.now() + graceMs;
  while (performance.now() < graceEnd) {
    await sleep(POLL_MS);
    alive = await find();
    if (alive.length === 0) return [];
  }
  const end = performance.now() + KILL_LIMIT_MS;
  while (performance.now() < end) {
    await Promise.all(alive.map((identity) => signalIdentity(identity, 'SIGKILL')));
    await sleep(POLL_MS);
    alive = await find();
    if (alive.length === 0) return [];
  }
  return alive;
}

export interface Tree {
  /** The process that was spawned; it leads its own group. */
  root: Identity;
  /** Finds members that left both the tree and the group. */
  findMarked: () => Promise<Identity[]>;
  /** Of its processes, these are not ended, nor what descends from them. Absent: none. */
  spares?: ((pid: number) => boolean) | undefined;
}

/** Remembers every process of a tree, so that re-parented ones stay known. */
export class TreeWatch {
  readonly #known = new Map<number, string>();
  /** A spared process has the group's id. */
  #sparesInGroup = false;

  constructor(readonly tree: Tree) {
    this.#known.set(tree.root.pid, tree.root.startTime);
  }

  /** These belong to it, too, however they were found. */
  know(found: readonly Identity[]): void {
    for (const one of found) this.#known.set(one.pid, one.startTime);
  }

  /** Remembers what descends from it now, and forgets what has ended: one look at the process table. */
  async look(): Promise<void> {
    const table = await processTable();
    const alive = new Set(table.filter((row) => this.#known.get(row.pid) === row.startTime).map((row) => row.pid));
    for (const pid of this.#known.keys()) if (!alive.has(pid) && pid !== this.tree.root.pid) this.#known.delete(pid);
    this.know(descendantsOf(alive, table));
  }

  /** Processes of it that live, but no longer in its group. */
  async movedAway(): Promise<ProcessRow[]> {
    if (this.#known.size === 1) return [];
    const { pid } = this.tree.root;
    return (await processTable()).filter(
      (row) => this.#known.get(row.pid) === row.startTime && row.pid !== pid && row.pgid !== pid,
    );
  }

  /** Living members of the tree and the group, and processes with the token. */
  async members(): Promise<ProcessRow[]> {
    const [table, marked] = await Promise.all([processTable(), this.tree.findMarked()]);
    for (const one of marked) this.#known.set(one.pid, one.startTime);
    const own = ownLine(table);
    const byIdentity = table.filter((row) => this.#known.get(row.pid) === row.startTime && !own.has(row.pid));
    const roots = new Set(byIdentity.map((row) => row.pid));
    // The group id is the root's pid: the kernel does not reuse it while the group has members.
    const rootTaken = table.some((r) => r.pid === this.tree.root.pid && r.startTime !== this.tree.root.startTime);
    const group = rootTaken ? [] : table.filter((row) => row.pgid === this.tree.root.pid && !own.has(row.pid));
    for (const row of group) roots.add(row.pid);
    const members = new Map(byIdentity.concat(group, descendantsOf(roots, table)).map((row) => [row.pid, row]));
    for (const pid of own) members.delete(pid);
    this.#leaveOut(members, table);
    for (const row of members.values()) this.#known.set(row.pid, row.startTime);
    return [...members.values()];
  }

  #leaveOut(members: Map<number, ProcessRow>, table: readonly ProcessRow[]): void {
    const spared = [...members.keys()].filter((pid) => this.tree.spares?.(pid));
    if (spared.length === 0) return;
    for (const pid of [...spared, ...descendantsOf(new Set(spared), table).map((row) => row.pid)]) {
      if (members.get(pid)?.pgid === this.tree.root.pid) this.#sparesInGroup = true;
      members.delete(pid);
      this.#known.delete(pid);
    }
  }

  /**
   * False when the root has ended and nothing can be found of it: its group is empty, no process carries its token and
   * none that is known lives. Cheaper than `members`, which would find no more.
   */
  async leftSomething(): Promise<boolean> {
    if (process.platform === 'win32') return true;
    try {
      process.kill(-this.tree.root.pid, 0);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return true;
    }
    return (await this.tree.findMarked()).length > 0 || (await this.movedAway()).length > 0;
  }

  /** Signals the whole group at once when a live member of the tree has the group id. */
  signalGroup(members: readonly ProcessRow[], signal: NodeJS.Signals): void {
    const inGroup = members.filter((row) => row.pgid === this.tree.root.pid);
    if (inGroup.length === 0) return;
    if (this.#sparesInGroup) {
      for (const row of inGroup) void signalIdentity(row, signal);
      return;
    }
    try {
      process.kill(-this.tree.root.pid, signal);
    } catch {
      // The group ended between the check and the signal.
    }
  }
}

/**
 * Ends the tree: TERM to the group, KILL after `graceMs`, then KILL to every remaining descendant and every process with the token.
 * With `everyone`, TERM goes to all members and not just to the group (leftovers have no parent to tell them). Returns
 * processes that survived KILL for ten seconds.
 */
export async function killTree(watch: TreeWatch, graceMs: number, everyone = false): Promise<Identity[]> {
  if (everyone && !(await watch.leftSomething())) return [];
  let members = await watch.members();
  if (members.length === 0) return [];
  const told = new Set<number>();
  const tellAll = async (): Promise<void> => {
    const untold = everyone ? members.filter((row) => !told.has(row.pid)) : [];
    for (const row of untold) told.add(row.pid);
    await Promise.all(untold.map((row) => signalIdentity(row, 'SIGTERM')));
  };
  watch.signalGroup(members, 'SIGTERM');
  // A stopped process receives TERM only when it continues.
  watch.signalGroup(members, 'SIGCONT');
  await tellAll();
  const pgid = watch.tree.root.pid;
  const graceEnd = performance.now() + graceMs;
  // Without the group, nothing is left that could end the tool processes in order: waiting is useless.
  while (performance.now() < graceEnd && (everyone ? members.length > 0 : members.some((row) => row.pgid === pgid))) {
    await sleep(POLL_MS);
    members = await watch.members();
    await tellAll();
  }
  const end = performance.now() + KILL_LIMIT_MS;
  while (members.length > 0 && performance.now() < end) {
    watch.signalGroup(members, 'SIGKILL');
    await Promise.all(members.map((row) => signalIdentity(row, 'SIGKILL')));
    await sleep(POLL_MS / 4);
    members = await watch.members();
  }
  return members.map(({ pid, startTime }) => ({ pid, startTime }));
}
