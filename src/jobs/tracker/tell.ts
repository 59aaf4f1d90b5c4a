/**
 * Claims items of the run's tracker, and tells it what becomes of them.
 * Invariant: an answer of the tracker is a result, never a failure of the activity: the workflow decides when to try
 * again. Every text passes the redaction. Repeats change nothing.
 */

import type { RunRef } from '../../protocol/run-ref.js';
import type { ClaimInput, TellTrackerInput, TrackerAnswer } from '../../protocol/tracker.js';
import { trackerOfRun } from '../../run-files/settings.js';
import { openTracker } from '../../trackers/open.js';
import { textOf, worksText } from '../../trackers/texts.js';
import { endOfWait, type Holder, type Tracker, TrackerError } from '../../trackers/tracker.js';
import type { WorkContext, WorkDeps } from '../job.js';
import { loadOne } from '../load.js';
import { redactorOf } from '../secrets.js';
import { ownerHere } from './owner.js';

type Work = (on: {
  tracker: Tracker;
  ref: string;
  holder: Omit<Holder, 'life'>;
  target: string;
}) => Promise<TrackerAnswer>;

export const claimItem = (deps: WorkDeps, input: ClaimInput, context: WorkContext): Promise<TrackerAnswer> =>
  withTracker(deps, input, context, async ({ tracker, ref, holder, target }) => {
    const text = worksText({ run: input.runId, target });
    const taken = await tracker.claim(ref, { ...holder, life: input.life }, text);
    return taken ? { kind: 'taken', by: taken.taken } : { kind: 'ok' };
  });

export const tellTracker = (deps: WorkDeps, { item, ...ref }: TellTrackerInput, context: WorkContext) =>
  withTracker(deps, { ...ref, idea: item.idea }, context, async ({ tracker, ref: place, holder, target }) => {
    const text = redactorOf(deps)(textOf(item, { run: ref.runId, target }));
    await tracker.show(place, { ...holder, life: item.life }, { state: item.state, text });
    return { kind: 'ok' };
  });

async function withTracker(
  deps: WorkDeps,
  input: RunRef & { idea: string },
  { signal }: Pick<WorkContext, 'signal'>,
  work: Work,
): Promise<TrackerAnswer> {
  const [run, { origin }] = await loadOne(deps, input);
  const config = trackerOfRun(run.file);
  // An idea that a person added has no item.
  if (!config || !origin) return { kind: 'ok' };
  const { project, runId, idea } = input;
  try {
    const tracker = openTracker(config, {
      ...{ env: deps.env, cwd: run.file.repo, timeoutMs: config.timeoutSeconds * 1000, signal },
      mark: `${project}/${runId}/${idea}`,
    });
    const holder = { owner: await ownerHere(deps.root, project), run: runId, idea };
    return await work({ tracker, ref: origin.ref, holder, target: run.file.target });
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    const why = redactorOf(deps)(error.message);
    if (!error.retry) return { kind: 'refused', why };
    const at = endOfWait(error, Date.now());
    return { kind: 'later', why, ...(at === undefined ? {} : { at }) };
  }
}
