/**
 * The workflow that delivers alerts (G7): one for each project, open while an alert waits or is under way. It outlives
 * its run, because quiet hours may.
 * Invariant: decisions are in `src/decide/alerts/`. A delivery that fails or hangs delays its own row only, and never a
 * run. A delivery that tells an event which no longer holds is cancelled, and begins again with the rest, alone.
 */
import { ApplicationFailure } from '@temporalio/common';

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  patched,
  setHandler,
} from '@temporalio/workflow';
import {
  delivered,
  isBatch,
  isEmpty,
  newQueue,
  putBack,
  underWay as rowsUnderWay,
  takeBatch,
  takeDue,
  wakeAt,
} from '../decide/alerts/queue.js';

import type { Alert, AlertQueue, AlertsInput } from '../protocol/alerts.js';
import { FAILURE } from '../protocol/failures.js';
import { Alarm } from './alarm.js';
import { takeAlertsSignal } from './messages.js';
import { isUnreadable } from './payloads.js';
import { activityProblem, alertActivities } from './proxies.js';
import { emit } from './publish.js';
import { wantsRollover } from './rollover.js';

export async function alerts(input: AlertsInput): Promise<void> {
  const { batch } = input;
  if (!input.state && !isBatch(batch))
    throw ApplicationFailure.nonRetryable('there are no alerts in the input', FAILURE.badInput);
  const queue = input.state ?? newQueue(batch as NonNullable<typeof batch>);
  const deliveries = new Map<string, Delivery>();
  let changed = false;
  const wake = (): void => {
    changed = true;
  };
  const alarm = new Alarm('the next alert', wake);
  setHandler(
    takeAlertsSignal,
    (more) => {
      if (isUnreadable(more) || !isBatch(more)) log.warn('a message with alerts could not be read');
      else {
        takeBatch(queue, more);
        for (const row of rowsUnderWay(queue, more.over ?? [])) deliveries.get(row)?.takeBack(more.over ?? []);
      }
      wake();
    },
    {
      description:
        'Runs send their events here. There is nothing to send by hand; try a row with: ralphctl notify test',
    },
  );
  if (!input.state && batch) takeBatch(queue, batch);
  for (;;) {
    changed = false;
    const rollover = wantsRollover(input);
    if (!rollover) {
      for (const { row, alert } of takeDue(queue, Date.now())) {
        const delivery = new Delivery(queue, row, alert);
        deliveries.set(row, delivery);
        void delivery.run().finally(() => {
          deliveries.delete(row);
          wake();
        });
      }
    }
    if (changed) continue;
    alarm.set(rollover ? undefined : wakeAt(queue, Date.now()));
    if (deliveries.size === 0 && allHandlersFinished()) {
      if (isEmpty(queue)) return;
      if (rollover) await continueAsNew<typeof alerts>({ ...input, state: queue });
    }
    await condition(() => changed);
  }
}

/** One alert on its way to one row. */
class Delivery {
  readonly #queue: AlertQueue;
  readonly #row: string;
  readonly #alert: Alert;
  readonly #scope = new CancellationScope({ cancellable: true });
  /** Ids of events that no longer hold. */
  readonly #over = new Set<string>();

  constructor(queue: AlertQueue, row: string, alert: Alert) {
    this.#queue = queue;
    this.#row = row;
    this.#alert = alert;
  }

  takeBack(over: readonly string[]): void {
    for (const id of over) this.#over.add(id);
    this.#scope.cancel();
  }

  /** Never rejects for what went wrong with the alert: that is an event of the run. */
  async run(): Promise<void> {
    const { ref, settings } = this.#queue;
    const row = this.#row;
    const events = Object.values(this.#alert.counts).reduce((sum, count) => sum + count, 0);
    if (settings.rows.find(({ name }) => name === row)?.bell) {
      emit(ref, { kind: 'alert', row, state: 'bell', events });
      delivered(this.#queue, row);
      return;
    }
    try {
      const input = { ...ref, row, alert: this.#alert };
      const { outcome } = await this.#scope.run(() => alertActivities(row).deliverAlert(input));
      if (outcome !== 'gone') emit(ref, { kind: 'alert', row, state: 'delivered', events });
    } catch (error) {
      if (this.#over.size > 0) {
        putBack(this.#queue, row, this.#over, patched('alerts-put-back-alone'));
        return;
      }
      const why = activityProblem(error);
      if (why === undefined && !isCancellation(error)) throw error;
      if (why !== undefined) emit(ref, { kind: 'alert', row, state: 'failed', events, why });
    }
    delivered(this.#queue, row);
  }
}
