/** Reads payloads that the client hands out as they are stored. */
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';

/** @throws UserError where one is encrypted and its key is not there */
export async function firstValue<T>(
  client: Client,
  payloads: readonly Payload[] | null | undefined,
): Promise<T | undefined> {
  const { payloadCodecs } = client.options.loadedDataConverter;
  let [...left] = payloads ?? [];
  for (const codec of payloadCodecs.toReversed()) left = await codec.decode(left);
  const [first] = left;
  return first && (defaultPayloadConverter.fromPayload<T | null>(first) ?? undefined);
}

interface StoredFailure {
  message?: string | null;
  encodedAttributes?: Payload | null;
}

/** The message of an error, also where it is encrypted. Then, without its key, what the server has. */
export async function messageOf(client: Client, failure: StoredFailure | null | undefined): Promise<string> {
  const { message, encodedAttributes } = failure ?? {};
  if (!encodedAttributes) return message ?? '';
  const said = await firstValue<{ message?: string }>(client, [encodedAttributes]).catch(() => undefined);
  return said?.message ?? message ?? '';
}
