/**
 * The workflow that delivers alerts (G7): one for each project, open while an alert waits or is under way. It outlives
 * its run, because quiet hours may.
 * Invariant: decisions are in `src/decide/alerts/`. A delivery that fails or hangs delays its own row only, and never a
 * run.
 */
import { ApplicationFailure } from '@temporalio/common';
import { allHandlersFinished, condition, continueAsNew, log, setHandler, workflowInfo } from '@temporalio/workflow';
import { delivered, isBatch, isEmpty, newQueue, takeBatch, takeDue, wakeAt } from '../decide/alerts/queue.js';
import type { Alert, AlertQueue, AlertsInput } from '../protocol/alerts.js';
import { FAILURE } from '../protocol/failures.js';
import { Alarm } from './alarm.js';
import { takeAlertsSignal } from './messages.js';
import { isUnreadable } from './payloads.js';
import { activityProblem, alertActivities } from './proxies.js';
import { emit } from './publish.js';

export async function alerts(input: AlertsInput): Promise<void> {
  const { batch } = input;
  if (!input.state && !isBatch(batch))
    throw ApplicationFailure.nonRetryable('there are no alerts in the input', FAILURE.badInput);
  const queue = input.state ?? newQueue(batch as NonNullable<typeof batch>);
  let changed = false;
  let underWay = 0;
  const wake = (): void => {
    changed = true;
  };
  const alarm = new Alarm('the next alert', wake);
  setHandler(takeAlertsSignal, (more) => {
    if (isUnreadable(more) || !isBatch(more)) log.warn('a message with alerts could not be read');
    else takeBatch(queue, more);
    wake();
  });
  if (!input.state && batch) takeBatch(queue, batch);
  for (;;) {
    changed = false;
    const rollover = wantsRollover(input);
    if (!rollover) {
      for (const { row, alert } of takeDue(queue, Date.now())) {
        underWay += 1;
        void deliver(queue, row, alert).finally(() => {
          underWay -= 1;
          delivered(queue, row);
          wake();
        });
      }
    }
    if (changed) continue;
    alarm.set(rollover ? undefined : wakeAt(queue, Date.now()));
    if (underWay === 0 && allHandlersFinished()) {
      if (isEmpty(queue)) return;
      if (rollover) await continueAsNew<typeof alerts>({ ...input, state: queue });
    }
    await condition(() => changed);
  }
}

/** Never rejects for what went wrong with the alert: that is an event of the run. */
async function deliver(queue: AlertQueue, row: string, alert: Alert): Promise<void> {
  const { ref, settings } = queue;
  const events = Object.values(alert.counts).reduce((sum, count) => sum + count, 0);
  if (settings.rows.find(({ name }) => name === row)?.bell) {
    emit(ref, { kind: 'alert', row, state: 'bell', events });
    return;
  }
  try {
    const { outcome } = await alertActivities(row).deliverAlert({ ...ref, row, alert });
    if (outcome !== 'gone') emit(ref, { kind: 'alert', row, state: 'delivered', events });
  } catch (error) {
    const why = activityProblem(error);
    if (why === undefined) throw error;
    emit(ref, { kind: 'alert', row, state: 'failed', events, why });
  }
}

function wantsRollover({ maxHistory = Number.POSITIVE_INFINITY }: AlertsInput): boolean {
  const info = workflowInfo();
  return info.continueAsNewSuggested || info.historyLength >= maxHistory;
}
