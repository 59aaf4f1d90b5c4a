/**
 * Whether a silent run still works: its processes use the processor, or files in its folder change.
 * Invariant: reads only. An unreadable process or file counts as inactive, and so does waiting for the network.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeWatch } from './kill.js';
import type { Probe } from './stop.js';

/** Share of one processor below which a tree only waits: event loops and timers also use some. */
const WORKING_SHARE = 0.02;
/** The minimum that counts: the resolution of the kernel's accounting. */
const LEAST_MS = 30;
/** Most files to check; more would be real work. */
const MOST_FILES = 300_000;

export class SignsOfLife implements Probe {
  #used = new Map<string, number>();
  #at = 0;

  constructor(
    private readonly tree: TreeWatch,
    private readonly folder: string,
  ) {}

  async begin(): Promise<void> {
    this.#used = await this.#usage();
    this.#at = performance.now();
  }

  async busy(silentSince: number): Promise<boolean> {
    if (this.#at > 0) {
      const before = this.#used;
      const span = performance.now() - this.#at;
      await this.begin();
      let usedMs = 0;
      for (const [key, ms] of this.#used) usedMs += Math.max(0, ms - (before.get(key) ?? 0));
      if (usedMs >= Math.max(LEAST_MS, span * WORKING_SHARE)) return true;
    }
    return changedSince(this.folder, silentSince);
  }

  async #usage(): Promise<Map<string, number>> {
    const members = await this.tree.members();
    return new Map(members.map((row) => [`${row.pid} ${row.startTime}`, row.cpuMs]));
  }
}

/** True when a file or folder below `folder` (other than `.git`) changed at or after `since`, epoch milliseconds. */
export async function changedSince(folder: string, since: number): Promise<boolean> {
  const open = [folder];
  for (let dir = open.pop(), seen = 0; dir !== undefined && seen < MOST_FILES; dir = open.pop()) {
    const here = dir;
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    const wanted = entries.filter((entry) => entry.name !== '.git');
    for (const entry of wanted) if (entry.isDirectory()) open.push(join(here, entry.name));
    for (let at = 0; at < wanted.length; at += 64) {
      const batch = wanted.slice(at, at + 64).map((entry) => lstat(join(here, entry.name)).catch(() => undefined));
      const infos = await Promise.all(batch);
      if (infos.some((info) => info !== undefined && Math.max(info.mtimeMs, info.ctimeMs) >= since)) return true;
    }
  }
  return false;
}
