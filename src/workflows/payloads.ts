/**
 * Reads payloads in the workflows. The SDK decodes a signal before any handler sees it, and an error there fails the
 * workflow task again and again. So an unreadable payload becomes a special value.
 * Invariant: only signal handlers accept that value. Any other reader of it gets the error.
 */
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';
import { KEY_FIELD, SEALED } from '../protocol/sealed.js';
import { noteSealed } from './sealed.js';

class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

const unreadable = (why: string): unknown =>
  new Proxy(new Unreadable(why), {
    get: (target, name) => {
      if (name === 'why') return target.why;
      throw new TypeError(why);
    },
  });

export const isUnreadable = (value: unknown): value is Unreadable => value instanceof Unreadable;

/** A codec hands on what it could not decrypt. */
function withKey({ metadata }: Payload): string {
  const id = metadata?.[KEY_FIELD];
  return id ? `it does not decrypt with the key ${JSON.stringify(String.fromCharCode(...id.slice(0, 40)))}. ` : '';
}

export const payloadConverter: PayloadConverter = {
  toPayload: <T>(value: T): Payload => defaultPayloadConverter.toPayload(value),
  fromPayload: <T>(payload: Payload): T => {
    if (payload.metadata?.[SEALED]) noteSealed();
    try {
      return defaultPayloadConverter.fromPayload<T>(payload);
    } catch (error) {
      return unreadable(
        `the input cannot be read: ${withKey(payload)}${error instanceof Error ? error.message : String(error)}`,
      ) as T;
    }
  },
};
