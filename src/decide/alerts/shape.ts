/**
 * Whether an input is a batch of alerts: anyone who reaches the server can send one.
 * Pure; may import protocol and decide only.
 */
import type { AlertBatch, AlertItem } from '../../protocol/alerts.js';
import type { RunRef } from '../../protocol/run-ref.js';
import {
  type Check,
  isAlertKind,
  isAlertSettings,
  isAmount,
  isCount,
  isName,
  isText,
  listOf,
  maybe,
  shaped,
} from '../messages/shape.js';

export const isBatch: Check<AlertBatch> = shaped<AlertBatch>({
  ref: shaped<RunRef>({ project: isName, runId: isName, config: maybe(isCount) }),
  settings: isAlertSettings,
  items: listOf(
    shaped<AlertItem>({
      ...{ id: isName, kind: isAlertKind, run: isName, idea: maybe(isName), title: maybe(isText) },
      ...{ text: maybe(isText), command: isText, at: isAmount },
    }),
  ),
});
