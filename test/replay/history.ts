/**
 * Reads a history as `temporal workflow show --output json` writes it.
 * The SDK's own `historyFromJSON` is not used: it compares classes of two copies of protobufjs, and refuses everything
 * where npm has installed one for each SDK package. This is the same conversion with the one copy that made the types.
 */
import { createRequire } from 'node:module';
import type { Payload, PayloadCodec } from '@temporalio/common';
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

interface JsonPayload {
  metadata: Record<string, string>;
  data?: string;
}

const isPayload = (value: object): value is JsonPayload =>
  'metadata' in value && typeof value.metadata === 'object' && value.metadata !== null && 'encoding' in value.metadata;

/** The same with every payload as it was before the codecs. */
export async function opened(value: unknown, codecs: readonly PayloadCodec[]): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one) => opened(one, codecs)));
  if (typeof value !== 'object' || value === null) return value;
  if (isPayload(value)) return plain(value, codecs);
  const fields = Object.entries(value).map(async ([name, one]) => [name, await opened(one, codecs)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

async function plain({ metadata, data }: JsonPayload, codecs: readonly PayloadCodec[]): Promise<JsonPayload> {
  const values = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')] as const);
  const stored = { metadata: Object.fromEntries(values), ...(data ? { data: Buffer.from(data, 'base64') } : {}) };
  let all: Payload[] = [stored];
  for (const codec of codecs.toReversed()) all = await codec.decode(all);
  const [first] = all;
  const said = Object.entries(first?.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)] as const);
  return { metadata: Object.fromEntries(said), ...(first?.data ? { data: base64(first.data) } : {}) };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
