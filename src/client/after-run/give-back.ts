/**
 * Tells the tracker that an idea was taken off the target while no run is open, as an open run does.
 * Invariant: it never fails the command. The rollback is done and recorded before; what the tracker answers is a
 * sentence and an event.
 */
import { workHere } from '../../jobs/index.js';
import { EventWriter } from '../../run-files/events.js';
import { loadRun } from '../../run-files/run.js';
import { trackerOfRun, trackerSettings } from '../../run-files/settings.js';
import { hostLabel } from '../../worker/host-label.js';
import { type Closed, runOf } from './closed.js';

/** Above every generation of the ended run, so that a landing which is told late does not close the item again. */
const LAST = 999_999_999;

/** A sentence to add where the tracker was not told; empty where it was; undefined: there is none. */
export async function giveBack(closed: Closed, idea: string, signal: AbortSignal): Promise<string | undefined> {
  const { root, env } = closed.context;
  const ref = await runOf(closed, idea);
  if (!ref) return undefined;
  let known = false;
  const { repo: _, target: __, ...about } = ref;
  const why = await problemOf(async () => {
    const { file } = await loadRun(root, about);
    if (!trackerSettings(trackerOfRun(file)).tracker) return undefined;
    known = true;
    const doWork = workHere({ root, host: await hostLabel(root, env), env });
    const item = { idea, state: 'released' as const, life: LAST, reason: 'rolled back' };
    const answer = await doWork('tellTracker', { ...about, item }, { signal, taskToken: '', abandoned: () => false });
    const refused = answer.kind === 'later' || answer.kind === 'refused' ? answer.why : '';
    const events = new EventWriter(root, () => undefined);
    const said = refused === '' ? { state: 'released' as const } : { state: 'failed' as const, why: refused };
    events.write(about, { kind: 'tracker', idea, ...said }, Date.now());
    await events.flush();
    return refused || undefined;
  });
  if (why === undefined) return known ? '' : undefined;
  return `. The tracker was not told, and may still show it as done: ${why}. Once it can be reached: ralphctl rollback ${idea}`;
}

const problemOf = (work: () => Promise<string | undefined>): Promise<string | undefined> =>
  work().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
