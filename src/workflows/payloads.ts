/**
 * Reads payloads in the workflows. The SDK reads what a signal carries before any handler sees it, and an error there fails
 * the workflow's task again and again. What cannot be read therefore becomes a value of its own.
 * Invariant: only signal handlers accept an unreadable value; whoever else looks into one gets the error, as without this.
 */
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

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

export const payloadConverter: PayloadConverter = {
  toPayload: <T>(value: T): Payload => defaultPayloadConverter.toPayload(value),
  fromPayload: <T>(payload: Payload): T => {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload);
    } catch (error) {
      return unreadable(`what was sent cannot be read: ${error instanceof Error ? error.message : String(error)}`) as T;
    }
  },
};
