/**
 * Reads a history as `temporal workflow show --output json` writes it.
 * The SDK's own `historyFromJSON` is not used: it compares classes of two copies of protobufjs, and refuses everything
 * where npm has installed one for each SDK package. This is the same conversion with the one copy that made the types.
 */
import { createRequire } from 'node:module';
import type { History } from '@temporalio/common/lib/proto-utils.js';

export interface RawEvent {
  eventId: string;
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  startChildWorkflowExecutionInitiatedEventAttributes?: { workflowType: { name: string }; workflowId: string };
  workflowExecutionStartedEventAttributes?: { workflowType: { name: string }; workflowId: string };
}
export interface RawHistory {
  events: RawEvent[];
}

interface Protojson {
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): unknown;
}
interface Patched {
  lookupType(name: string): unknown;
}

const here = createRequire(import.meta.url);
const proto = createRequire(createRequire(here.resolve('@temporalio/common')).resolve('@temporalio/proto'));
const { fromJson } = proto('protobufjs/ext/protojson') as Protojson;
const { patchProtobufRoot } = proto('@temporalio/proto/lib/patch-protobuf-root') as {
  patchProtobufRoot: (root: unknown) => Patched;
};
const historyType = patchProtobufRoot(proto('@temporalio/proto')).lookupType('temporal.api.history.v1.History');

/** Throws where the text is no history. */
export function toHistory(raw: RawHistory): History {
  return fromJson(historyType, raw, { ignoreUnknownFields: true }) as History;
}
