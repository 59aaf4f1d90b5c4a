/**
 * Hands what a run tells its tracker to the workflow that does it.
 * Invariant: an item stays in the run's state until the server has taken it. A run that writes to no tracker issues no
 * command here.
 */
import { log, patched } from '@temporalio/workflow';
import type { Autopilot } from '../decide/run/autopilot.js';
import { hasTracked, noteTracked, returnTracked, takeTracked } from '../decide/tracker/arising.js';
import { TRACKER_WORKFLOW, trackerId } from '../protocol/names.js';
import type { AutopilotInput, IdeaEntry } from '../protocol/run.js';
import type { TrackerBatch } from '../protocol/tracker.js';
import { HandOver, MOST_TRIES } from './hand-over.js';
import { takeTrackedSignal } from './messages.js';
import { refOf } from './proxies.js';

export class TrackerSender {
  readonly #input: AutopilotInput;
  readonly #out: HandOver<TrackerBatch>;

  constructor(input: AutopilotInput, begin: (work: Promise<void>) => void) {
    this.#input = input;
    const id = trackerId(input.project);
    const receiver = { type: TRACKER_WORKFLOW, id, summary: 'tells the tracker', signal: takeTrackedSignal };
    this.#out = new HandOver(input, receiver, begin);
  }

  /** `turns`: ideas whose status changed since the last call. */
  note(pilot: Autopilot, turns: readonly IdeaEntry[]): void {
    if (!this.#input.settings.tracker) return;
    noteTracked(pilot.state, turns);
    if (this.#out.busy || !hasTracked(pilot.state) || !patched('tracker')) return;
    this.#out.begin(() => this.#send(pilot));
  }

  whenSent(): Promise<void> {
    return this.#out.whenSent();
  }

  async #send(pilot: Autopilot): Promise<void> {
    let failures = 0;
    while (hasTracked(pilot.state)) {
      const items = takeTracked(pilot.state);
      if (await this.#out.give({ ref: refOf(this.#input), items })) continue;
      returnTracked(pilot.state, items);
      if (++failures < MOST_TRIES) continue;
      log.warn('the tracker could not be told', { items: items.length });
      return;
    }
  }
}
