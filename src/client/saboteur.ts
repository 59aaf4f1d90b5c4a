/**
 * `ralphctl demo --chaos` kills worker and server of its own run with SIGKILL at fixed points, and prints each kill.
 * Invariant: it kills only processes of the given state folder, which belongs to the demo; no other command calls this.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { signalIdentity } from '../process/identity.js';
import { processTable } from '../process/table.js';
import type { StampedEvent } from '../protocol/events.js';
import { eventsPath, followEvents } from '../run-files/events.js';
import { listRuns } from '../run-files/run.js';
import { readRecord } from '../server/files.js';
import { runningWorker } from '../worker/record.js';

export interface Blow {
  what: 'worker' | 'server';
  pid: number;
}

interface Plan {
  /** Kills at event number `nth` for which `at` holds. */
  at: (event: StampedEvent) => boolean;
  nth: number;
  hit: readonly Blow['what'][];
}

const begun = (event: StampedEvent): boolean => event.kind === 'iteration';
const landed = (event: StampedEvent): boolean => event.kind === 'idea' && event.status === 'landed';
const PLAN: readonly Plan[] = [
  { at: begun, nth: 2, hit: ['worker'] },
  { at: landed, nth: 1, hit: ['server'] },
  // Like a power cut.
  { at: landed, nth: 3, hit: ['worker', 'server'] },
];

const SETTLE_MS = 10_000;

/** Kills until the signal aborts; resolves to the killed processes. */
export async function sabotage(
  root: string,
  project: string,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<Blow[]> {
  const blows: Blow[] = [];
  let runId: string | undefined;
  while (runId === undefined && !signal.aborted) {
    [runId] = await listRuns(root, project);
    if (runId === undefined) await delay(50, undefined, { signal }).catch(() => {});
  }
  if (runId === undefined) return blows;
  const left = PLAN.map((plan) => ({ ...plan, seen: 0 }));
  for await (const event of followEvents(eventsPath(root, { project, runId }), signal, { pollMs: 20 })) {
    for (const plan of left) {
      if (!plan.at(event)) continue;
      plan.seen += 1;
      if (plan.seen !== plan.nth) continue;
      const found = await Promise.all(plan.hit.map((what) => victim(root, project, what)));
      for (const [at, identity] of found.entries()) {
        const what = plan.hit[at];
        if (!identity || !what || !(await signalIdentity(identity, 'SIGKILL'))) continue;
        blows.push({ what, pid: identity.pid });
        tell(`chaos: killed the ${what} (process ${identity.pid}) with SIGKILL`);
      }
    }
  }
  return blows;
}

/** The process to kill. Waits for a process that is starting. */
async function victim(
  root: string,
  project: string,
  what: Blow['what'],
): Promise<{ pid: number; startTime: string } | undefined> {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    const [worker, server, table] = await Promise.all([runningWorker(root, project), readRecord(root), processTable()]);
    const found =
      what === 'server'
        ? table.find((row) => row.pid === server?.pid)
        : // The supervisor may have started the server, too.
          table.find((row) => row.ppid === worker?.keeper.pid && row.pid !== server?.pid);
    if (found || performance.now() > end) return found;
    await delay(50);
  }
}
