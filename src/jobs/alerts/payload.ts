/** An alert as the JSON body for webhooks and commands. Pure. */
import type { AlertPayload } from '../../config/schema/alert.js';
import type { Message } from './message.js';

export function payloadOf(message: Message): AlertPayload {
  const { id, project, title, urgent, command, link, test, alert } = message;
  return {
    version: 1,
    ...{ id, project, title, urgent, command },
    ...(link === undefined ? {} : { link }),
    counts: alert.counts,
    events: alert.items.map(({ at, ...item }) => ({ ...item, at: new Date(at).toISOString() })),
    ...(test ? { test } : {}),
  };
}
