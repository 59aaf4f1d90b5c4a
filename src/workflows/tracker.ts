/**
 * The workflow that tells a tracker what becomes of its items (F3): one for each project, open while something waits.
 * It outlives its run, because a tracker may be down or limit requests for hours.
 * Invariant: decisions are in `src/decide/tracker/`. One request at a time; a tracker that fails delays no run.
 */
import { ApplicationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  log,
  patched,
  setHandler,
} from '@temporalio/workflow';
import {
  addTracked,
  answered,
  isTrackerBatch,
  newTrackerQueue,
  takeNext,
  type Waiting,
  waitLonger,
  wakeTrackerAt,
} from '../decide/tracker/queue.js';
import { FAILURE } from '../protocol/failures.js';
import type { TrackedItem, TrackerAnswer, TrackerInput, TrackerQueue } from '../protocol/tracker.js';
import { takeTrackedSignal } from './messages.js';
import { isUnreadable } from './payloads.js';
import { activityProblem, trackerActivities } from './proxies.js';
import { emit } from './publish.js';
import { wantsRollover } from './rollover.js';

export async function tracker(input: TrackerInput): Promise<void> {
  const { batch } = input;
  if (!input.state && !isTrackerBatch(batch))
    throw ApplicationFailure.nonRetryable('there is nothing to tell in the input', FAILURE.badInput);
  const queue = input.state ?? newTrackerQueue();
  let changed = false;
  setHandler(
    takeTrackedSignal,
    (more) => {
      if (isUnreadable(more) || !isTrackerBatch(more)) log.warn('a message for the tracker could not be read');
      else addTracked(queue, more);
      changed = true;
    },
    { description: 'Runs send what they tell the tracker. There is nothing to send by hand' },
  );
  if (!input.state && batch) addTracked(queue, batch);
  for (;;) {
    changed = false;
    if (wantsRollover(input) && allHandlersFinished()) await continueAsNew<typeof tracker>({ ...input, state: queue });
    const next = takeNext(queue, Date.now());
    if (next) await tell(queue, next);
    else if (queue.waiting.length === 0) {
      if (allHandlersFinished()) return;
      await condition(() => changed || allHandlersFinished());
    } else {
      const waitMs = Math.max(50, (wakeTrackerAt(queue) ?? 0) - Date.now());
      await condition(() => changed, waitMs, { summary: 'waits for the tracker' });
    }
  }
}

const STATES = { works: 'told', asks: 'told', done: 'done', released: 'released' } as const;

/** Never rejects for what the tracker does: that is an event of the run. */
async function tell(queue: TrackerQueue, one: Waiting): Promise<void> {
  const { ref, item } = one;
  const { idea } = item;
  const answer = await asked(one);
  if (answer.kind !== 'later') answered(queue);
  switch (answer.kind) {
    case 'ok':
    case 'taken':
      emit(ref, { kind: 'tracker', idea, state: STATES[item.state] });
      return;
    case 'refused':
      emit(ref, { kind: 'tracker', idea, state: 'failed', why: answer.why });
      return;
    case 'later':
      if (!waitLonger(queue, one, { now: Date.now(), at: answer.at, asOne: patched('tracker-waits-as-one') })) {
        emit(ref, { kind: 'tracker', idea, state: 'failed', why: `given up: ${answer.why}` });
        return;
      }
      // Once for each stretch of trouble.
      if (one.tries === 0) emit(ref, { kind: 'tracker', idea, state: 'waits', why: answer.why });
  }
}

async function asked({ ref, item }: Waiting): Promise<TrackerAnswer> {
  try {
    return await trackerActivities(about(item)).tellTracker({ ...ref, item });
  } catch (error) {
    if (isCancellation(error)) throw error;
    const why = activityProblem(error);
    if (why === undefined) throw error;
    return { kind: 'refused', why };
  }
}

const about = ({ idea, state }: TrackedItem): string => `tell the tracker: ${idea} ${state}`;
