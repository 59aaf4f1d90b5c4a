/**
 * Finds processes that got away from a run: they dropped its token and left its group and its tree, but they still work in
 * its folders.
 * Invariant: reads only. Evidence decides: a process counts only when it is the user's own, began after the run, has been
 * handed to one of our ancestors because its parents ended, and nothing shows that a person or a service started it. Only with
 * /proc: `ps` does not show what a process has open.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { hasProc, type Identity } from './identity.js';
import { killTree, TreeWatch } from './kill.js';
import { descendantsOf, ownLine, type ProcessRow, processTable, readProc } from './table.js';
import { findByToken } from './tokens.js';

export interface EscapeRules {
  /** What began before came from something else: the run's own process, or a moment. */
  since: Identity | Date;
  /** Folders that nobody but the run works in. */
  places: readonly string[];
  /** The run's environment. */
  env: Readonly<Record<string, string>>;
}

export interface Named extends Identity {
  /** Short name of its program. */
  program: string;
}

/** A login, a desktop, an SSH connection or a service manager sets one of these; a run has none, or another value. */
const SESSIONS = ['XDG_SESSION_ID', 'SSH_CONNECTION', 'DISPLAY', 'WAYLAND_DISPLAY', 'INVOCATION_ID'];

/** In order of the table: parents need not come first. */
export async function findEscaped(rules: EscapeRules): Promise<Named[]> {
  if (!hasProc) return [];
  const since = rules.since instanceof Date ? ticksAt(rules.since) : ticksOf(rules.since);
  if (Number.isNaN(since) || rules.places.length === 0) return [];
  const places = await Promise.all(rules.places.map((place) => realpath(place).catch(() => place)));
  const table = await processTable();
  const tree = new Tree(table, since);
  return table
    .filter((row) => tree.isOrphan(row) && isMine(row.pid) && worksIn(row.pid, places))
    .filter((row) => !hasSession(row.pid, rules.env))
    .map(({ pid, startTime }) => ({ pid, startTime, program: programOf(pid) }));
}

class Tree {
  readonly #byPid: ReadonlyMap<number, ProcessRow>;
  readonly #ours: ReadonlySet<number>;

  constructor(
    private readonly table: readonly ProcessRow[],
    private readonly since: number,
  ) {
    this.#byPid = new Map(table.map((row) => [row.pid, row]));
    this.#ours = ownLine(table);
  }

  /**
   * True when it and all that it descends from began after the run, up to a process that got them as orphans. No person's
   * terminal is above it or below it.
   */
  isOrphan(row: ProcessRow): boolean {
    if (this.#ours.has(row.pid)) return false;
    const climbed = new Set<number>();
    for (let at: ProcessRow | undefined = row; at; at = this.#byPid.get(at.ppid)) {
      if (this.#ours.has(at.pid)) return adopts(at.pid) && this.#noTerminalBelow(row);
      if (climbed.has(at.pid) || at.terminal || ticksOf(at) < this.since || isLikeUs(at)) return false;
      climbed.add(at.pid);
    }
    return this.#noTerminalBelow(row);
  }

  /** What a multiplexer or a remote editor holds for a person. */
  #noTerminalBelow({ pid }: ProcessRow): boolean {
    return !descendantsOf(new Set([pid]), this.table).some((row) => row.terminal);
  }
}

/** This process and the one that started it have children of their own, which are no orphans. */
const adopts = (pid: number): boolean => pid !== process.pid && (pid !== process.ppid || pid === 1);

/** Another process of our kind beside this one, where the worker is the first process of a container. */
const isLikeUs = ({ pid, ppid }: ProcessRow): boolean =>
  ppid === 1 && process.ppid === 1 && textOf(`/proc/${pid}/cmdline`) === textOf('/proc/self/cmdline');

function isMine(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.();
  } catch {
    return false;
  }
}

function worksIn(pid: number, places: readonly string[]): boolean {
  const isInside = (path: string): boolean => places.some((place) => path === place || path.startsWith(place + sep));
  if (['cwd', 'root', 'exe'].some((name) => isInside(linkOf(`/proc/${pid}/${name}`)))) return true;
  return entriesOf(`/proc/${pid}/fd`).some((fd) => isInside(linkOf(`/proc/${pid}/fd/${fd}`)));
}

function hasSession(pid: number, env: Readonly<Record<string, string>>): boolean {
  const variables = (readProc(pid, 'environ')?.toString() ?? '').split('\0');
  return SESSIONS.some((name) => {
    const found = variables.find((variable) => variable.startsWith(`${name}=`));
    return found !== undefined && found !== `${name}=${env[name] ?? ''}`;
  });
}

/** As the kernel has it: at most fifteen bytes, which the program itself can set. */
export const programOf = (pid: number): string => textOf(`/proc/${pid}/comm`).replace(/[^\x20-\x7e]/g, '') || 'unknown';

const ticksOf = ({ startTime }: Identity): number => Number(startTime.split('/')[2]);

/** Start times count from the boot, a hundred a second. */
const ticksAt = (when: Date): number => {
  const upSeconds = Number(textOf('/proc/uptime').split(' ')[0] || Number.NaN);
  return (upSeconds - (Date.now() - when.getTime()) / 1000) * 100;
};

const orEmpty = <T>(read: () => T, empty: T): T => {
  try {
    return read();
  } catch {
    return empty;
  }
};
const textOf = (path: string): string => orEmpty(() => readFileSync(path, 'utf8'), '');
const linkOf = (path: string): string => orEmpty(() => readlinkSync(path), '');
const entriesOf = (path: string): string[] => orEmpty(() => readdirSync(path), []);

/*
 * Ends what got away from a run, and looks often enough while it runs that little gets away.
 * Invariant: only what was seen to descend from the run, or what `findEscaped` has evidence for, is ended.
 */

/** Between two looks at the process table. */
const LOOK_EVERY_MS = 500;
/** A look costs at most this share of the time. */
const SHARE = 0.01;
/** Somebody may start another one while the first is ended. */
const MOST_ROUNDS = 5;

export const named = (program: string, pid: number): string => `${program} (pid ${pid})`;

/** Remembers the tree's processes while their parents live. Call what it returns when the run is over. Only with /proc, where a look is cheap. */
export function lookOften(tree: TreeWatch): () => void {
  let timer: NodeJS.Timeout | undefined;
  let over = !hasProc;
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
  const tree = new TreeWatch({ root: first, findMarked: async () => [] });
  tree.know(rest);
  return killTree(tree, 2000, true);
}
