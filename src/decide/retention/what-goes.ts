/**
 * What a cleaning removes. Pure.
 * Invariant: nothing goes that is younger than `keepDays` or than its own age, nothing of an open run, no worktree that
 * holds work which no branch has, and no save by itself whose work is not on the target. An age in the future is young.
 */
import { many } from '../../protocol/many.js';
import type { Days, Retention, RunPart } from '../../protocol/retention.js';

const DAY = 86_400_000;

/** Older than its own age and than the smallest one; both in days. */
function isOld(at: number, days: Days, { keepDays }: Retention, now: number): boolean {
  return days !== 'never' && now - at >= Math.max(days, keepDays) * DAY;
}

/** Of a file that ralphctl can make again. */
export const fileIsOld = (at: number, rules: Retention, now: number): boolean =>
  isOld(at, rules.gateLogDays, rules, now);

/** Of what was moved out of the place of a worktree. */
export const keptIsOld = (at: number, rules: Retention, now: number): boolean =>
  isOld(at, rules.worktreeDays, rules, now);

const age = (at: number, now: number): string => {
  const days = Math.floor((now - at) / DAY);
  return `${many(days, 'day')} old`;
};

/* Runs. */

export interface RunFacts {
  runId: string;
  /** Its end is recorded, or a newer run has begun. */
  over: boolean;
  /** When anything of it changed last, epoch ms. */
  at: number;
  /** Bytes of the parts that are there. */
  parts: Partial<Record<RunPart, number>>;
  /** A report was written, so that its events may go. */
  reported: boolean;
}

export interface RunGoes {
  runId: string;
  parts: RunPart[];
  bytes: number;
  why: string;
}

/** The oldest run first. */
export function runsThatGo(runs: readonly RunFacts[], rules: Retention, now: number): RunGoes[] {
  const oldest = [...runs].sort((a, b) => a.at - b.at);
  const goes = new Map(oldest.map((run) => [run, byAge(run, rules, now)]));
  const sum = (run: RunFacts, parts: readonly RunPart[]): number =>
    parts.reduce((total, part) => total + (run.parts[part] ?? 0), 0);
  let left = oldest.reduce((total, run) => total + sum(run, PARTS) - sum(run, goes.get(run) ?? []), 0);
  const most = rules.maxMegabytes === 'never' ? Number.POSITIVE_INFINITY : rules.maxMegabytes * 1_000_000;
  const forSize = new Set<RunFacts>();
  for (const run of oldest) {
    if (left <= most) break;
    if (!run.over || !isOld(run.at, 0, rules, now)) continue;
    const parts = LARGE.filter((part) => part in run.parts && !goes.get(run)?.includes(part));
    if (parts.length === 0) continue;
    goes.set(run, [...(goes.get(run) ?? []), ...parts]);
    forSize.add(run);
    left -= sum(run, parts);
  }
  return oldest.flatMap((run) => {
    const parts = goes.get(run) ?? [];
    if (parts.length === 0) return [];
    const size = forSize.has(run) ? `; the runs are larger than ${rules.maxMegabytes} MB` : '';
    return [{ runId: run.runId, parts, bytes: sum(run, parts), why: `${age(run.at, now)}${size}` }];
  });
}

const PARTS: readonly RunPart[] = ['gateLogs', 'transcripts', 'events'];
const LARGE: readonly RunPart[] = ['gateLogs', 'transcripts'];

function byAge(run: RunFacts, rules: Retention, now: number): RunPart[] {
  if (!run.over) return [];
  const days: Record<RunPart, Days> = {
    gateLogs: rules.gateLogDays,
    transcripts: rules.transcriptDays,
    events: rules.runDays,
  };
  return PARTS.filter(
    (part) => part in run.parts && isOld(run.at, days[part], rules, now) && (part !== 'events' || run.reported),
  );
}

/* Worktrees. */

export interface WorktreeFacts {
  path: string;
  /** When it was used last, epoch ms. */
  at: number;
  /** A person locked it. */
  locked: boolean;
  /** Files that are not committed, or repositories of its own: what nothing else holds. */
  unsaved: boolean;
  /** What a submodule or another repository inside holds and nothing else does, as a part of a sentence. */
  inner?: string;
  /** A branch has its commits, or they have landed. */
  kept: boolean;
}

export interface Goes {
  name: string;
  why: string;
}

export interface Decided {
  goes: Goes[];
  /** Sentences about what is old and stays. */
  stays: string[];
}

/** `open`: a run is open, which may take any of them. */
export function worktreesThatGo(
  worktrees: readonly WorktreeFacts[],
  rules: Retention,
  { now, open }: { now: number; open: boolean },
): Decided {
  const decided: Decided = { goes: [], stays: [] };
  if (open) return decided;
  for (const { path, at, locked, unsaved, kept, inner } of worktrees) {
    if (!isOld(at, rules.worktreeDays, rules, now)) continue;
    const why = locked
      ? 'it is locked'
      : unsaved
        ? 'it holds files that are not committed'
        : (inner ?? (kept ? undefined : 'no branch has its commits'));
    if (why === undefined) decided.goes.push({ name: path, why: `unused, ${age(at, now)}` });
    else decided.stays.push(`${path} stays: ${why}`);
  }
  return decided;
}

/* Saves. */

export interface SaveFacts {
  ref: string;
  /** When it was made, epoch ms. */
  at: number;
  /** Its whole work is on the target. */
  landed: boolean;
}

/**
 * `byItself`: nobody asked for this cleaning, so it leaves saves alone whose work is not on the target, and tells how
 * many would go.
 */
export function savesThatGo(
  saves: readonly SaveFacts[],
  rules: Retention,
  { now, open, byItself }: { now: number; open: boolean; byItself: boolean },
): Decided {
  const decided: Decided = { goes: [], stays: [] };
  if (open) return decided;
  let waiting = 0;
  for (const { ref, at, landed } of saves) {
    if (!isOld(at, landed ? rules.saveDays : rules.unlandedSaveDays, rules, now)) continue;
    const why = `${landed ? 'its work is on the target' : 'its work is not on the target'}, ${age(at, now)}`;
    if (landed || !byItself) decided.goes.push({ name: ref, why });
    else waiting += 1;
  }
  if (waiting > 0)
    decided.stays.push(
      `${many(waiting, 'save')} older than ${rules.unlandedSaveDays} days with work that is not on the target ${waiting === 1 ? 'waits' : 'wait'} for: ralphctl clean`,
    );
  return decided;
}

/* Copies of restored changes. */

export interface CopyFacts {
  path: string;
  /** When it was made, epoch ms. */
  at: number;
  bytes: number;
}

/** All copies of a project. */
const MOST_COPIES = 100_000_000;

/** They go with the transcripts, and the oldest ones earlier while all are too large. */
export function copiesThatGo(
  copies: readonly CopyFacts[],
  rules: Retention,
  now: number,
): (CopyFacts & Pick<Goes, 'why'>)[] {
  let left = copies.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...copies]
    .sort((a, b) => a.at - b.at)
    .flatMap((copy) => {
      const old = isOld(copy.at, rules.transcriptDays, rules, now);
      const large = left > MOST_COPIES && rules.maxMegabytes !== 'never' && isOld(copy.at, 0, rules, now);
      if (!old && !large) return [];
      left -= copy.bytes;
      const size = old ? '' : `; the copies are larger than ${MOST_COPIES / 1_000_000} MB`;
      return [{ ...copy, why: `${age(copy.at, now)}${size}` }];
    });
}

/* Projects whose repository is gone. */

export interface ProjectFacts {
  /** away: its folder's own folder is missing or empty, as where a disk is not mounted. */
  repository: 'there' | 'gone' | 'away';
  /** When its last run changed, epoch ms. */
  at: number;
  /** Its last run may be open. */
  open: boolean;
}

export const projectGoes = ({ repository, at, open }: ProjectFacts, rules: Retention, now: number): boolean =>
  repository === 'gone' && !open && isOld(at, rules.goneProjectDays, rules, now);
