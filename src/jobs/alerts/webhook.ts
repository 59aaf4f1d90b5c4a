/**
 * Sends an alert to a web address, signed according to Standard Webhooks.
 * Invariant: no error contains the address or a secret. Does not follow redirects, because signature and token are for
 * the configured receiver.
 */
import { createHmac } from 'node:crypto';
import type { NotifyRow } from '../../config/schema/notify.js';
import { alertError } from './alert-error.js';
import { requestFor } from './bodies.js';
import type { Message } from './message.js';

type WebhookRow = Extract<NotifyRow, { to: 'webhook' }>;
type Env = Readonly<Record<string, string | undefined>>;

/** Status codes of receivers that may accept the same request later. */
const LATER = new Set([408, 409, 423, 425, 429]);

export async function sendWebhook(row: WebhookRow, message: Message, env: Env, signal: AbortSignal): Promise<void> {
  const { url, body } = requestFor(row.format, addressOf(row, env), message);
  const secret = variable(row, 'secretEnv', env);
  const token = variable(row, 'tokenEnv', env);
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'ralphctl',
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    ...(secret === undefined ? {} : { 'webhook-signature': signature(secret, { id: message.id, timestamp, body }) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const timeout = AbortSignal.timeout(row.timeoutSeconds * 1000);
  const answer = await fetch(url, {
    ...{ method: 'POST', headers, body, redirect: 'manual' },
    signal: AbortSignal.any([signal, timeout]),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw alertError(timeout.aborted ? `no answer within ${row.timeoutSeconds} s` : reasonOf(error), true);
  });
  // Nothing waits for it: the sooner the delivery is noted, the fewer crashes send it twice.
  void answer.body?.cancel().catch(() => undefined);
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw alertError(`the receiver answered with a redirect (${status}); configure the address it points to`, false);
  throw alertError(`the receiver answered with ${status}`, status >= 500 || LATER.has(status));
}

/** `v1,` and the base64 of an HMAC-SHA256 over id, time and body. A secret that begins with `whsec_` is base64. */
export function signature(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function addressOf(row: WebhookRow, env: Env): string {
  const url = row.url ?? variable(row, 'urlEnv', env) ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw alertError(`${row.urlEnv ?? 'url'} is not an http or https address`, false);
  return url;
}

/** Reads the variable that the row names. */
function variable(row: WebhookRow, key: 'urlEnv' | 'secretEnv' | 'tokenEnv', env: Env): string | undefined {
  const name = row[key];
  if (name === undefined) return undefined;
  const value = env[name]?.trim();
  if (value) return value;
  throw alertError(
    `the variable ${name} (${key}) is not set for the worker; set it, then: ralphctl worker --stop && ralphctl start`,
    false,
  );
}

/** fetch hides the reason in the cause. Neither contains the path of the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as NodeJS.ErrnoException).code;
  return `the receiver could not be reached${code ? ` (${code})` : ''}`;
}
