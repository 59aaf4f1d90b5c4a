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
import { noteAlerts, returnAlerts, takeAlerts } from '../decide/alerts/arising.js';
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
    noteAlerts(pilot.state, settings, { runId, turns, now: Date.now(), ...(ended ? { ended } : {}) });
    if (this.#sending || !pilot.state.alerts?.items.length) return;
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
    for (let items = takeAlerts(pilot.state); items.length > 0; items = takeAlerts(pilot.state)) {
      const settings = this.#settings();
      if (!settings) return;
      if (await this.#hand({ ref: refOf(this.#input), settings, items })) continue;
      returnAlerts(pilot.state, items);
      if (++failures < MOST_TRIES) continue;
      log.warn('alerts could not be handed over', { events: items.length });
      return;
    }
  }

  async #hand(batch: AlertBatch): Promise<boolean> {
    const { project, maxHistory } = this.#input;
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
    return getExternalWorkflowHandle(alertsId(project))
      .signal(takeAlertsSignal, batch)
      .then(
        () => true,
        () => false,
      );
  }
}
