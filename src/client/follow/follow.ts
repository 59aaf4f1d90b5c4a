/**
 * Attached mode: prints a run's events as they happen, until the run ends or only waits for a person, or until the
 * person detaches.
 * Invariant: reads only; detaching changes nothing about the run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { StampedEvent } from '../../protocol/events.js';
import type { RunSummary } from '../../protocol/run.js';
import { WAITS_FOR_YOU } from '../../protocol/states.js';
import type { RunStatus } from '../../protocol/views.js';
import { eventsPath, followEvents } from '../../run-files/events.js';
import type { RunApi } from '../api/run.js';
import { type Context, print, printJson, say } from '../context.js';
import { ranBefore } from '../model/ran-before.js';
import type { Attachment } from '../open-run/attachment.js';
import { endProgress } from '../progress.js';
import { LiveLines } from '../views/live-lines.js';
import { ringBell, usesColour } from '../views/terminal.js';

export type FollowEnd =
  /** `runId`: of a run that the screen followed after the attached one. `cleanedAt`: of the last cleaning that was told. */
  | { why: 'ended'; summary: RunSummary; runId?: string; cleanedAt?: string }
  | { why: 'waits'; status: RunStatus }
  /** `lines`: what the screen leaves on the terminal. */
  | { why: 'detached'; lines?: readonly string[] };

const WAIT_CHECK_MS = 1000;
/** Earlier events to print when attaching; the status stands above them. */
const EARLIER = 20;

export interface FollowOptions {
  /** Return when all that is left waits for a person. */
  leaveWhenWaiting: boolean;
  /** Printed before the events. A Ctrl-C leaves the run from here on. */
  first?: () => Promise<void>;
}

export async function follow(
  context: Context,
  attachment: Attachment,
  runId: string,
  options: FollowOptions,
): Promise<FollowEnd> {
  endProgress();
  const { project } = attachment.api;
  const stop = new AbortController();
  const onInterrupt = (): void => finish({ why: 'detached' });
  let finish: (end: FollowEnd) => void = () => {};
  const end = new Promise<FollowEnd>((resolve) => {
    finish = resolve;
  });
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  const shown = options.first?.() ?? Promise.resolve();
  const ref = { project, runId };
  const lines = shown.then(async () => {
    const before = context.json ? undefined : await ranBefore(context.root, ref);
    return showEvents(context, eventsPath(context.root, ref), stop.signal, before);
  });
  const failed = attachment.result(stop.signal).then(
    (summary) => finish({ why: 'ended', summary }),
    (error: unknown) => error,
  );
  if (options.leaveWhenWaiting) void leaveWhenWaiting(() => attachment.api, stop.signal, finish);
  const watching = attachment.watchWorker(stop.signal);
  const failure = failed.then((error) => (error === undefined ? end : Promise.reject(error)));
  let cleanedAt: string | undefined;
  let how: FollowEnd;
  try {
    how = await Promise.race([end, failure]);
  } finally {
    // The last events may not be in the file yet.
    await delay(200);
    stop.abort();
    [cleanedAt] = await Promise.all([lines, watching]);
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
  return how.why === 'ended' && cleanedAt !== undefined ? { ...how, cleanedAt } : how;
}

/** Returns when the last cleaning was that it told. */
export async function showEvents(
  context: Context,
  path: string,
  signal: AbortSignal,
  before?: ReadonlySet<string>,
): Promise<string | undefined> {
  let cleanedAt: string | undefined;
  const shown = new Shown(context, before);
  let earlier: string[] | undefined = context.json ? undefined : [];
  const caughtUp = (): void => {
    if (earlier) sayLast(earlier);
    earlier = undefined;
  };
  let told = '';
  const unreadable = (problem: Error | undefined): void => {
    if (problem && problem.message !== told) say(`warning: ${problem.message}`);
    told = problem?.message ?? '';
  };
  for await (const event of followEvents(path, signal, { read: caughtUp, unreadable })) {
    if (earlier) earlier.push(...shown.lines(event));
    else shown.take(event);
    if (event.kind === 'cleaned') cleanedAt = event.at;
  }
  return cleanedAt;
}

/** People who attach again want the last events, not all of them. */
function sayLast(lines: readonly string[]): void {
  const left = lines.length - EARLIER;
  if (left > 0) print(`… ${left} earlier lines: ralphctl logs`);
  for (const line of lines.slice(-EARLIER)) print(line);
}

/** Formats events one after another. */
export class Shown {
  readonly #json: boolean;
  readonly #lines: LiveLines;

  /** `ranBefore`: ideas that had run before the run; undefined where nobody knows. */
  constructor({ json }: Context, ranBefore?: ReadonlySet<string>) {
    this.#json = json;
    this.#lines = new LiveLines(usesColour(), ranBefore);
  }

  take(event: StampedEvent): void {
    if (event.kind === 'alert' && event.state === 'bell' && !this.#json) ringBell();
    if (this.#json) printJson(event);
    else for (const line of this.lines(event)) print(line);
  }

  lines(event: StampedEvent): string[] {
    return this.#lines.lines(event);
  }
}

/** All that is left waits for a person. */
export function onlyWaits(status: RunStatus): boolean {
  const { counts } = status;
  // A run that waits for a limit resumes by itself.
  if (status.state === 'paused') return status.resumesAt === undefined;
  // Older workers do not count them; lists are cut in a large run.
  const approvals = status.approvals ?? status.attention.filter((line) => line.approval).length;
  const gitTasks = status.errands ?? status.attention.filter((line) => line.busy).length;
  const busy = counts.running + counts.paused - approvals + counts['wants-slot'] + counts.landing;
  if (busy > 0 || gitTasks > 0) return false;
  if (status.state === 'waiting_user') return true;
  // A slot that waits for an approval blocks other starts.
  return approvals > 0 || (status.next.length === 0 && counts['needs-human'] > 0);
}

/** The server's own record rules out most moments, at a fifth of the cost of a workflow query. */
async function mayOnlyWait(api: RunApi): Promise<boolean> {
  const facts = await api.facts().catch(() => undefined);
  return !facts?.progress || ['paused', WAITS_FOR_YOU].includes(facts.progress.state) || facts.progress.asking > 0;
}

export async function leaveWhenWaiting(
  api: () => RunApi,
  signal: AbortSignal,
  finish: (end: FollowEnd) => void,
): Promise<void> {
  let seen = 0;
  while (!signal.aborted) {
    await delay(WAIT_CHECK_MS, undefined, { signal }).catch(() => {});
    const status = (await mayOnlyWait(api()))
      ? await api()
          .status()
          .catch(() => undefined)
      : undefined;
    seen = status && onlyWaits(status) ? seen + 1 : 0;
    // Checks twice in a row: the moment between two ideas is not the end.
    if (status && seen >= 2) finish({ why: 'waits', status });
  }
}
