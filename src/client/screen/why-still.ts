/**
 * Finds out whether an open run can move, and if not, why.
 * Invariant: reads and asks only. Every time that it gives comes from an event, an answer, a poll or a failed task, never
 * from when the screen was opened.
 */
import type { RunModel } from '../../model/model.js';
import type { UserError } from '../../protocol/user-error.js';
import { readSummary } from '../../run-files/summary.js';
import type { Standstill } from '../../screen/details.js';
import { describeAddress, type ResolvedConnection, resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import { type Ends, runningWorker } from '../../worker/record.js';
import { isDeadline } from '../api/connection.js';
import type { RunFacts } from '../api/facts.js';
import type { RunApi } from '../api/run.js';
import type { Context } from '../context.js';
import { stateTrouble } from '../state-folder.js';
import { workerLogs } from '../views/worker-ends.js';

/**
 * A worker counts as busy after this time without an answer. A machine under load needs more than ten seconds for the
 * first answer of a run; the second question has gone out by then, too.
 */
const PATIENCE_MS = 20_000;
/** The server's answer about the run takes milliseconds. */
const FACTS_MS = 6000;
/** Workers ask for work at least once a minute. */
const IDLE_QUEUE_MS = 120_000;
/** The last event of a run may reach its file after the run has closed. */
const LAST_EVENT_MS = 5000;

export interface Seen {
  /** Time of the last event or answer, epoch ms. */
  lastSign: number;
  /** Time of the first question since then that nobody answered. */
  unanswered?: number;
  /** Why the events cannot be read. */
  unreadable?: Error;
  /** Every event so far is in the model. */
  whole: boolean;
}

export interface Sight {
  still?: Standstill;
  /** The server closed the run, and no event says so. `at`: epoch ms. */
  ended?: { state: RunModel['state']; at: number };
}

interface Asked {
  context: Context;
  model: RunModel;
  seen: Seen;
  /** Undefined while no server answers. */
  api(): Promise<RunApi | undefined>;
}

export async function whyStill({ context, model, seen, api }: Asked): Promise<Sight> {
  const { root } = context;
  const { lastSign: since, unanswered, unreadable } = seen;
  const full = unreadable ?? (await stateTrouble(context, { write: false }));
  if (full) return { still: diskStill(full, since) };
  const server = await resolveConnection(context).catch((error: Error) => error);
  if (server instanceof Error) return { still: { kind: 'no-server', since, where: server.message } };
  const embedded = server.kind === 'embedded';
  if (embedded && !(await runningServer(root))) return { still: { kind: 'no-server', since } };
  const run = await api();
  const facts = run ? await factsOf(run, embedded) : 'no server';
  if (!run || facts === 'no server') return { still: noServer(server, since) };
  if (facts !== 'late' && seen.whole && model.events > 0) {
    if (!facts) return { still: { kind: 'gone', since } };
    const ended = await endOf(context, model, facts);
    if (ended) return ended === 'just now' ? {} : { ended };
  }
  const worker = await runningWorker(root, model.project);
  if (embedded && !worker) return { still: { kind: 'no-worker', since } };
  if (worker?.ends && (embedded || isUnanswered(unanswered, Date.now())))
    return { still: crashStill(worker.ends, workerLogs(root, model.project)) };
  if (unanswered === undefined) return {};
  const polled = worker ? undefined : await lastPoll(run);
  if (polled !== undefined && Date.now() - polled > IDLE_QUEUE_MS)
    return { still: { kind: 'no-worker', since: Math.max(since, polled) } };
  if (!isUnanswered(unanswered, Date.now())) return {};
  if (facts !== 'late' && facts?.failing)
    return {
      still: {
        kind: 'failing',
        ...(facts.failingSince ? { since: facts.failingSince.getTime() } : {}),
        tries: facts.tries ?? 0,
        error: facts.failing,
        log: workerLogs(root, model.project),
      },
    };
  const trouble = await stateTrouble(context, { write: true });
  if (trouble) return { still: diskStill(trouble, since) };
  return { still: { kind: 'busy', since: unanswered, ...(polled === undefined ? {} : { polled }) } };
}

/** Whether a question has waited so long that its worker counts as busy; times in epoch ms. */
export const isUnanswered = (asked: number | undefined, now: number): boolean =>
  asked !== undefined && now - asked >= PATIENCE_MS;

/** `late`: the process of the embedded server runs, and a busy machine delays its answer. */
const factsOf = (run: RunApi, embedded: boolean): Promise<RunFacts | 'late' | 'no server' | undefined> =>
  run.facts(FACTS_MS).catch((error: unknown) => (embedded && isDeadline(error) ? 'late' : 'no server'));

const noServer = (server: ResolvedConnection, since: number): Standstill => ({
  ...{ kind: 'no-server', since },
  ...(server.kind === 'external' ? { where: describeAddress(server) } : {}),
});

/** Time of the last poll of any worker; 0: the server knows of none. */
const lastPoll = (run: RunApi): Promise<number | undefined> =>
  run.idleMs().then(
    (idle) => Math.max(0, Date.now() - idle),
    () => undefined,
  );

async function endOf(
  { root }: Context,
  { project, runId, lastAt = 0 }: RunModel,
  facts: RunFacts,
): Promise<Sight['ended'] | 'just now'> {
  const replaced = facts.runId !== undefined && facts.runId !== runId;
  if (facts.open && !replaced) return undefined;
  const at = replaced ? lastAt : (facts.closedAt?.getTime() ?? lastAt);
  if (replaced || facts.temporalStatus !== 'COMPLETED') return { state: 'terminated', at };
  if (Date.now() - at < LAST_EVENT_MS) return 'just now';
  const summary = await readSummary(root, { project, runId }, () => {});
  return { state: summary?.outcome ?? 'completed', at };
}

const crashStill = ({ times, since, how, error }: Ends, log: string): Standstill => ({
  ...{ kind: 'crashing', since: Date.parse(since), times, how, log },
  ...(error === undefined ? {} : { error }),
});

/** The lines have room for the end of a path. */
const MOST_PATH = 30;

function diskStill(problem: Error, since: number): Standstill {
  const { message, fix = '' } = problem as UserError;
  const what = fix === '' ? message : message.slice(0, Math.max(0, message.length - fix.length - 2));
  const short = (path: string): string => (path.length > MOST_PATH ? `…/${path.split('/').slice(-2).join('/')}` : path);
  return { kind: 'disk', since, text: what.replace(/\/\S+/g, short), fix };
}
