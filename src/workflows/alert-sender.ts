/**
 * Hands a run's alerts to the workflow that delivers them.
 * Invariant: an event stays in the run's state until the server has taken it. A run without alerts issues no command
 * here.
 */
import { log, patched } from '@temporalio/workflow';
import { hasAlerts, noteAlerts, returnAlerts, takeAlerts } from '../decide/alerts/arising.js';
import type { Autopilot } from '../decide/run/autopilot.js';
import type { AlertBatch, AlertSettings } from '../protocol/alerts.js';
import { ALERTS_WORKFLOW, alertsId } from '../protocol/names.js';
import type { AutopilotInput, IdeaEntry } from '../protocol/run.js';
import type { RunOutcome } from '../protocol/states.js';
import { HandOver, MOST_TRIES } from './hand-over.js';
import { takeAlertsSignal } from './messages.js';
import { refOf } from './proxies.js';

export class AlertSender {
  readonly #input: AutopilotInput;
  readonly #out: HandOver<AlertBatch>;

  constructor(input: AutopilotInput, begin: (work: Promise<void>) => void) {
    this.#input = input;
    const id = alertsId(input.project);
    const receiver = { type: ALERTS_WORKFLOW, id, summary: 'delivers alerts', signal: takeAlertsSignal };
    this.#out = new HandOver(input, receiver, begin);
  }

  /** `turns`: ideas whose status changed since the last call. `ended`: how the run ended. */
  note(pilot: Autopilot, turns: readonly IdeaEntry[], ended?: RunOutcome): void {
    const settings = this.#settings();
    if (!settings) return;
    const { runId } = this.#input;
    const mayTakeBack = (): boolean => patched('alerts-taken-back');
    noteAlerts(pilot.state, settings, { runId, turns, now: Date.now(), mayTakeBack, ...(ended ? { ended } : {}) });
    if (this.#out.busy || !hasAlerts(pilot.state)) return;
    this.#out.begin(() => this.#send(pilot));
  }

  whenSent(): Promise<void> {
    return this.#out.whenSent();
  }

  /** They change with the run's configuration. */
  #settings(): AlertSettings | undefined {
    const { alerts } = this.#input.settings;
    return alerts && patched('alerts') ? alerts : undefined;
  }

  async #send(pilot: Autopilot): Promise<void> {
    let failures = 0;
    while (hasAlerts(pilot.state)) {
      const settings = this.#settings();
      const taken = takeAlerts(pilot.state);
      if (!settings) return;
      const { items, over } = taken;
      const batch = { ref: refOf(this.#input), settings, items, ...(over.length > 0 ? { over } : {}) };
      // No workflow is open where an event that no longer holds finds none, so nothing waits that could be taken back.
      const given = items.length > 0 ? this.#out.give(batch) : this.#out.giveIfOpen(batch);
      if ((await given) || items.length === 0) continue;
      returnAlerts(pilot.state, taken);
      if (++failures < MOST_TRIES) continue;
      log.warn('alerts could not be handed over', { events: items.length });
      return;
    }
  }
}
