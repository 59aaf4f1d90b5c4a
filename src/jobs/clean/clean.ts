/**
 * One cleaning of a project, and of projects whose repository is gone.
 * Invariant: one cleaning of a project at a time; what it may touch is decided in `decide/retention`. It ends between
 * two steps when its time is up, and the next one goes on.
 */
import { baselineDir, cleanLockDir, greensDir, projectDir, runsDir } from '../../config/paths.js';
import { type RunFacts, type RunGoes, runsThatGo } from '../../decide/retention/what-goes.js';
import { withLock } from '../../process/lock.js';
import type { Cleaned, CleanedItem, Retention, RunPart } from '../../protocol/retention.js';
import { allFacts } from './all-facts.js';
import { onFullDisk } from './full-disk.js';
import { cleanSaves, cleanWorktrees } from './git-work.js';
import { cleanGone } from './gone.js';
import { cleanOld } from './old-files.js';
import { Stays, sweep } from './own.js';
import { cleanRestored } from './restored.js';
import { cleanRun } from './runs.js';

export interface CleanOptions {
  root: string;
  project: string;
  rules: Retention;
  /** Where the repository is there: its place, and the branch that work lands on. */
  place?: { repo: string; target: string; backlogPath?: string | undefined; worktreesRoot?: string | undefined };
  dryRun: boolean;
  /** Whether a run is open, where somebody can say so who knows better than the files. */
  open?: () => Promise<boolean>;
  /** Nobody asked for it. */
  byItself: boolean;
  now: Date;
  /** The time is up. */
  stop: () => boolean;
  /** Writes the report of a run. Without it, the events of a run without a report stay. */
  report?: (runId: string) => Promise<void>;
  /** Gets each save whose work is not on the target, before any of them goes. */
  announce?: (item: CleanedItem) => void;
  /** Keeps what was removed, before the next cleaning of the project can begin. */
  record?: (cleaned: Cleaned) => Promise<void>;
  /** How long another cleaning of the project may keep this one waiting. */
  waitMs: number;
  onWait?: (pid: number) => void;
}

export interface Cleaning extends Omit<CleanOptions, 'announce' | 'record'> {
  out: Stays;
  done: (item: CleanedItem) => void;
  announce: (item: CleanedItem) => void;
  /** What an earlier cleaning had taken away and not deleted. */
  sweptAway: (bytes: number, where: string) => void;
}

/** @throws LockTimeoutError where another cleaning of the project works */
export async function clean(options: CleanOptions): Promise<Cleaned> {
  const items: CleanedItem[] = [];
  const out = new Stays();
  const done = (item: CleanedItem): void => void items.push(item);
  const cleaning: Cleaning = {
    ...options,
    out,
    done,
    announce: options.announce ?? (() => {}),
    sweptAway: (bytes, name) => {
      if (bytes > 0) done({ what: 'leftover', name, bytes, why: 'a cleaning was cut off' });
    },
  };
  const { root, project, dryRun } = options;
  const result = (): Cleaned => ({
    items,
    bytes: items.reduce((sum, item) => sum + item.bytes, 0),
    stays: [...new Set(out.told)],
    ...(options.stop() ? { more: true as const } : {}),
  });
  const first = async (): Promise<void> => {
    if (!dryRun) cleaning.sweptAway(await sweep(projectDir(root, project)), projectDir(root, project));
    await cleanOld(cleaning, [baselineDir(root, project), greensDir(root, project)]);
  };
  let recorded = false;
  const all = async (): Promise<void> => {
    await first();
    for (const step of [cleanRuns, cleanRestored, cleanWorktrees, cleanSaves, cleanGone])
      if (!options.stop()) await out.trying(projectDir(root, project), () => step(cleaning));
    await options.record?.(result());
    recorded = true;
  };
  if (await out.mayClean(projectDir(root, project))) {
    if (dryRun) await all();
    else {
      const lock = cleanLockDir(root, project);
      const locked = (): Promise<void> =>
        withLock(lock, all, { waitMs: options.waitMs, onWait: ({ pid }) => options.onWait?.(pid) });
      await locked().catch((error: unknown) => onFullDisk(cleaning, error, { first, locked }));
    }
  } else await cleanGone(cleaning);
  if (!recorded) await options.record?.(result());
  return result();
}

/** By age while it looks, the oldest first, so that a cleaning that has little time gets on. Then by size. */
async function cleanRuns(cleaning: Cleaning): Promise<void> {
  const { root, project, rules, now, out, report } = cleaning;
  if (!(await out.mayClean(runsDir(root, project)))) return;
  // The command writes a missing report first.
  const counted = (run: RunFacts): RunFacts => ({ ...run, reported: run.reported || report !== undefined });
  const left: RunFacts[] = [];
  for await (const run of allFacts(cleaning, project)) {
    const [goes] = runsThatGo([counted(run)], { ...rules, maxMegabytes: 'never' }, now.getTime());
    const gone = goes ? await cleanOne(cleaning, run, goes) : [];
    const parts = Object.entries(run.parts).filter(([part]) => !gone.includes(part as RunPart));
    left.push({ ...run, parts: Object.fromEntries(parts) });
  }
  const known = new Map(left.map((run) => [run.runId, run]));
  for (const goes of runsThatGo(left.map(counted), rules, now.getTime())) {
    if (cleaning.stop()) return;
    const run = known.get(goes.runId);
    if (run) await cleanOne(cleaning, run, goes);
  }
}

/** Returns the parts that are gone. */
async function cleanOne(cleaning: Cleaning, run: RunFacts, goes: RunGoes): Promise<RunPart[]> {
  const { root, project, now, out, dryRun, report } = cleaning;
  const gone: RunPart[] = [];
  await out.trying(goes.runId, async () => {
    let { parts } = goes;
    if (!dryRun && parts.includes('events') && !run.reported) {
      const reported = await report?.(goes.runId).then(
        () => true,
        () => false,
      );
      if (!reported) parts = parts.filter((part) => part !== 'events');
    }
    if (parts.length === 0) return;
    if (!dryRun) await cleanRun(root, project, { ...goes, parts }, now);
    gone.push(...parts);
    for (const part of parts)
      cleaning.done({ what: part, name: goes.runId, bytes: run.parts[part] ?? 0, why: goes.why });
  });
  return gone;
}
