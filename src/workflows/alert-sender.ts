/**
 * Hands a run's alerts to the workflow that delivers them.
 * Invariant: an event stays in the run's state until the server has taken it. It waits for the server only, never for a
 * delivery. A run without alerts issues no command here.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  condition,
  getExternalWorkflowHandle,
  log,
  ParentClosePolicy,
  patched,
  startChild,
} from '@temporalio/workflow';
import { hasAlerts, noteAlerts, returnAlerts, takeAlerts } from '../decide/alerts/arising.js';
import type { Autopilot } from '../decide/run/autopilot.js';
import type { AlertBatch, AlertSettings } from '../protocol/alerts.js';
import { ALERTS_WORKFLOW, alertsId } from '../protocol/names.js';
import type { AutopilotInput } from '../protocol/run.js';
import type { RunOutcome } from '../protocol/states.js';
import type { alerts as alertsWorkflow } from './alerts.js';
import { takeAlertsSignal } from './messages.js';
import { refOf } from './proxies.js';
import { RALPH_PROJECT } from './publish.js';

/** The other workflow may end between the two messages that find it open or closed. */
const MOST_TRIES = 10;

export class AlertSender {
  readonly #input: AutopilotInput;
  /** Keeps the run from continuing as new meanwhile. */
  readonly #begin: (work: Promise<void>) => void;
  #sending = false;

  constructor(input: AutopilotInput, begin: (work: Promise<void>) => void) {
    this.#input = input;
    this.#begin = begin;
  }

  /** Takes what has changed since the last call. `ended`: how the run ended. */
  note(pilot: Autopilot, ended?: RunOutcome): void {
    const turns = pilot.takeTurns();
    const settings = this.#settings();
    if (!settings) return;
    const { runId } = this.#input;
    const mayTakeBack = (): boolean => patched('alerts-taken-back');
    noteAlerts(pilot.state, settings, { runId, turns, now: Date.now(), mayTakeBack, ...(ended ? { ended } : {}) });
    if (this.#sending || !hasAlerts(pilot.state)) return;
    this.#sending = true;
    this.#begin(
      this.#send(pilot).finally(() => {
        this.#sending = false;
      }),
    );
  }

  /** Resolves when the server has everything. */
  whenSent(): Promise<void> {
    return this.#sending ? condition(() => !this.#sending) : Promise.resolve();
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
      if (await this.#hand(batch)) continue;
      // No workflow is open, so nothing waits that could be taken back.
      if (items.length === 0) continue;
      returnAlerts(pilot.state, taken);
      if (++failures < MOST_TRIES) continue;
      log.warn('alerts could not be handed over', { events: items.length });
      return;
    }
  }

  async #hand(batch: AlertBatch): Promise<boolean> {
    const { project, maxHistory } = this.#input;
    if (batch.items.length === 0) return this.#signal(batch);
    try {
      await startChild<typeof alertsWorkflow>(ALERTS_WORKFLOW, {
        workflowId: alertsId(project),
        args: [{ project, batch, ...(maxHistory === undefined ? {} : { maxHistory }) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: 'delivers alerts',
        typedSearchAttributes: [{ key: RALPH_PROJECT, value: project }],
      });
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return this.#signal(batch);
  }

  /** False when the workflow is not open. */
  #signal(batch: AlertBatch): Promise<boolean> {
    return getExternalWorkflowHandle(alertsId(this.#input.project))
      .signal(takeAlertsSignal, batch)
      .then(
        () => true,
        () => false,
      );
  }
}
