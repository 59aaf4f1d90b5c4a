/**
 * What people see of a run (G9): current details, memo, search attribute, events.
 * Invariant: memo and attribute are written only when what they say has changed, as each write is a history event.
 */
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { type Autopilot, agentName } from '../decide/autopilot.js';
import { runDetails } from '../decide/details.js';
import { runStatus } from '../decide/status.js';
import type { AutopilotInput } from '../protocol/run.js';
import { RALPH_STATE } from './attributes.js';
import { emit } from './events.js';

const LARGE_RUN = 500;

export class Publisher {
  readonly #input: AutopilotInput;
  #published = '';
  #publishedState: string | undefined;
  #publishedAt = 0;
  #emittedState: string | undefined;

  constructor(input: AutopilotInput) {
    this.#input = input;
  }

  #emitChanges(pilot: Autopilot): void {
    for (const { card, status, slot, reason, commit } of pilot.takeChanges()) {
      emit(this.#input, {
        kind: 'idea',
        idea: card.id,
        title: card.title,
        status,
        ...(slot === undefined ? {} : { agentName: agentName(slot) }),
        ...(reason ? { reason } : {}),
        ...(commit ? { commit } : {}),
      });
    }
  }

  #emitTold(pilot: Autopilot): void {
    for (const { verb, idea, reason, done, refusal } of pilot.takeTold()) {
      const about = { verb, ...(idea ? { idea } : {}) };
      if (refusal === undefined)
        emit(this.#input, { kind: 'command', ...about, ...(reason ? { reason } : {}), done: done ?? '' });
      else emit(this.#input, { kind: 'refused', ...about, why: refusal });
    }
  }

  #emitState(pilot: Autopilot): void {
    const { run, why: reason } = pilot.state;
    if (run === this.#emittedState) return;
    this.#emittedState = run;
    emit(this.#input, { kind: 'run', state: run, ...(reason ? { why: reason } : {}), ...progress(pilot) });
  }

  /** `whole`: also in a large run that was drawn a moment ago. */
  publish(pilot: Autopilot, whole = false): void {
    const { run, why: reason, entries } = pilot.state;
    this.#emitTold(pilot);
    this.#emitState(pilot);
    this.#emitChanges(pilot);
    // A full view costs a pass over all ideas; in a large run it is drawn at most once a second.
    const now = Date.now();
    const lately = run === this.#publishedState && now - this.#publishedAt < 1000;
    if (entries.length > LARGE_RUN && lately && !whole) return;
    this.#publishedAt = now;
    const status = runStatus(this.#input, pilot.state, this.#input.settings, pilot.graph, now);
    setCurrentDetails(runDetails(status));
    const { landed, blocked, timeout, failed, 'needs-human': asking } = status.counts;
    const memo = { state: run, landed, total: status.total, asking, notLanded: blocked + timeout + failed };
    const fingerprint = JSON.stringify([memo, reason]);
    if (fingerprint === this.#published) return;
    this.#published = fingerprint;
    if (run !== this.#publishedState) upsertSearchAttributes([{ key: RALPH_STATE, value: run }]);
    this.#publishedState = run;
    upsertMemo({ progress: { ...memo, why: reason ?? null } });
  }
}

/** The landed and the total number of ideas, Blues left out. */
function progress(pilot: Autopilot): { landed: number; total: number } {
  const ideas = pilot.state.entries.filter((entry) => !entry.card.blue);
  return { landed: ideas.filter((entry) => entry.status === 'landed').length, total: ideas.length };
}
