/**
 * Lists all runs of a project, newest first, from their files.
 * Invariant: reads only, and is fast with many and large runs: it folds only the newest ones completely, and reads the
 * summary and the last events of the others.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { tailOfOwn } from '../../config/own-files.js';
import { isDecided } from '../../model/at-end.js';
import type { Gone, Renamed } from '../../model/model.js';
import { againCommand, startCommand } from '../../model/start-again.js';
import type { StampedEvent } from '../../protocol/events.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { UserError } from '../../protocol/user-error.js';
import { makeReport } from '../../report/build.js';
import { historyOfSummary, historyRun, outcomeOf } from '../../report/history.js';
import { eventsPath, parseEvent } from '../../run-files/events.js';
import { askedFor, type KeptFor, keptForNext } from '../../run-files/kept.js';
import { readable } from '../../run-files/readable.js';
import { listRuns, loadRun } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { namedOf, startAgainOf } from '../../run-files/start-again.js';
import { readSummary } from '../../run-files/summary.js';
import type { History, HistoryRun } from '../../screen/details.js';
import type { Context } from '../context.js';
import { nothingMoves } from '../views/nothing-moves.js';
import { strandedRun } from '../views/recorded.js';
import { gather } from './gather.js';
import { targetNow } from './gone.js';
import { warnOnce } from './summaries.js';

/** Number of runs to fold completely, and the largest size of their events in bytes. */
const MOST_WHOLE = 20;
const MOST_BYTES = 8_000_000;
/** Bytes at the end of an events file that contain the last event of the run. */
const TAIL = 64_000;

/** `warn` gets a sentence for each file that cannot be read, and for each run that is left out. */
export async function historyRuns(
  context: Context,
  project: string,
  now = Date.now(),
  warn = warnOnce,
): Promise<History> {
  const runs: HistoryRun[] = [];
  const files = new Map<string, RunFile>();
  for (const runId of await listRuns(context.root, project)) {
    const one = await oneRun(context, { project, runId }, runs.length, { now, warn });
    if (!one) continue;
    runs.push(one.run);
    files.set(runId, one.file);
  }
  await noteStranded(context, project, runs);
  const { target, renamed } = await noteGone(context, project, runs, files);
  const first = new Date(now);
  const month = new Date(first.getFullYear(), first.getMonth(), 1).getTime();
  const recent = runs.filter(({ startedAt }) => startedAt >= month);
  const paid = recent.flatMap(({ dollars }) => dollars ?? []);
  return {
    runs,
    ...(target ? { target } : {}),
    ...(renamed ? { renamed } : {}),
    monthLanded: landedIn(recent),
    ...(paid.length > 0 ? { monthDollars: paid.reduce((sum, one) => sum + one, 0) } : {}),
  };
}

/** What its files say last of an open run is not what it does: without a server or a worker, nothing moves. */
async function noteStranded(context: Context, project: string, runs: readonly HistoryRun[]): Promise<void> {
  const [newest] = runs;
  if (!newest || !OPEN.has(newest.outcome)) return;
  const still = await nothingMoves(context, project);
  if (still && (await strandedRun(context.root, project)) === newest.runId) newest.outcome = still.outcome;
}

const OPEN = new Set<HistoryRun['outcome']>(['running', 'waits for you', 'paused']);

/** What was rolled back and landed again is one idea. */
function landedIn(runs: readonly HistoryRun[]): number {
  const ids = new Set(runs.flatMap(({ done }) => (done ?? []).map(({ id }) => id)));
  const unnamed = runs.reduce((sum, { done, landed = 0 }) => sum + (done ? 0 : landed), 0);
  return ids.size + unnamed;
}

/**
 * Notes landed ideas that have left their target since, with the newest run that landed each there. Each target is asked
 * about its own runs: what landed on another one is not missing on it.
 */
async function noteGone(
  { root }: Context,
  project: string,
  runs: readonly HistoryRun[],
  files: ReadonlyMap<string, RunFile>,
): Promise<Pick<History, 'target' | 'renamed'>> {
  const [newest] = runs;
  const file = newest && files.get(newest.runId);
  if (!file) return {};
  const decided = new Set((await keptForNext(root, project).catch(() => [])).flatMap(decidedIn));
  const targets = new Set([...files.values()].map(({ target }) => target));
  let renamed: Renamed | undefined;
  for (const target of targets) {
    const own = runs.filter(({ runId }) => files.get(runId)?.target === target);
    const [last] = own;
    const place = last && files.get(last.runId);
    if (!place) continue;
    const isNow = target === file.target;
    if (!isNow) for (const run of own) run.on = target;
    const lands = new Map<string, HistoryRun>();
    for (const run of own) for (const { id } of run.done ?? []) if (!lands.has(id)) lands.set(id, run);
    if (!isNow && lands.size === 0) continue;
    const now = await targetNow(place, new Map([...lands.keys()].map((id) => [id, undefined])), { whole: true });
    if (isNow) renamed = now.renamed;
    for (const [id, one] of now.gone) {
      const run = lands.get(id);
      // A branch that is no target any more may go.
      if (!run || (!isNow && one.noBranch)) continue;
      if (one.part === undefined && ranAgain(runs.slice(0, runs.indexOf(run)), id)) continue;
      const next = isNow && decided.has(id) ? { decided: true as const } : {};
      run.gone = [...(run.gone ?? []), { id, ...one, ...(isNow ? {} : onto(id, place)), ...next }];
    }
  }
  return { target: file.target, ...(renamed ? { renamed } : {}) };
}

/** An agent has worked on it in a newer run: it stands as that run left it, which lists it. */
const ranAgain = (newer: readonly HistoryRun[], idea: string): boolean =>
  newer.some(({ open = [] }) => open.some(({ id }) => id === idea));

/** A retry is about the newest target. */
function onto(id: string, place: RunFile): Pick<Gone, 'command' | 'start' | 'runs'> {
  const start = startAgainOf({ ...place, named: { ...namedOf(place), target: place.target } });
  return { command: againCommand(id, start) ?? startCommand(start), start: undefined, runs: true };
}

const decidedIn = (one: KeptFor): string[] =>
  isDecided({ ...askedFor(one), ...(one.abandoned ? { leftOut: true } : {}) }) ? [one.idea] : [];

async function oneRun(
  context: Context,
  ref: RunRef,
  place: number,
  { now, warn }: { now: number; warn: (problem: string) => void },
): Promise<{ run: HistoryRun; file: RunFile } | undefined> {
  const { root } = context;
  const loaded = await readable(root, ref, warn);
  if (!loaded) return undefined;
  const agents = [loaded.file.config.agent];
  const size = await stat(eventsPath(root, ref)).then(
    (found) => found.size,
    () => 0,
  );
  if (place < MOST_WHOLE && size < MOST_BYTES) {
    const found = await gather(context, ref, { now, warn, gone: place === 0 }).catch((error: Error) => {
      if (error instanceof UserError) warn(error.message);
      return undefined;
    });
    for (const { kind, text } of found?.model.warnings ?? []) if (kind === 'files') warn(text);
    if (found) return { run: historyRun(makeReport(found.model, found.extra), agents), file: loaded.file };
  }
  const [summary, { last, endedAt }] = await Promise.all([
    readSummary(root, ref, warn),
    lastWords(eventsPath(root, ref)),
  ]);
  const about = { runId: ref.runId, startedAt: Date.parse(loaded.file.createdAt), agents };
  const spent = last?.kind === 'run' ? last.spent : undefined;
  const cost = spent && spent.unknownDollars < spent.iterations ? spent.dollars : undefined;
  const run = historyOfSummary({ ...about, ...(endedAt === undefined ? {} : { endedAt }) }, summary, cost);
  return { run, file: loaded.file };
}

/**
 * The last event about the run itself, otherwise its last event; and its end, as its model has it: that event, or the
 * last one of a run that the server closed.
 */
async function lastWords(path: string): Promise<{ last?: StampedEvent; endedAt?: number }> {
  const tail = await tailOfOwn(path, TAIL).catch(() => undefined);
  const events = (tail ?? '').split('\n').flatMap((line) => parseEvent(line) ?? []);
  const ofRun = events.findLast((event) => event.kind === 'run');
  const final = events.findLast((event) => event.kind !== 'cleaned' && (event.kind !== 'command' || !event.afterRun));
  const end = ofRun && !OPEN.has(outcomeOf(ofRun.state)) ? ofRun : final;
  const last = ofRun ?? final;
  return { ...(last ? { last } : {}), ...(end ? { endedAt: Date.parse(end.at) } : {}) };
}

export const projectName = async (root: string, ref: RunRef): Promise<string> =>
  basename((await loadRun(root, ref)).file.repo);
