/**
 * How long the breaker of an account stays closed (B8).
 * Invariant: the result depends only on the breaker and the time, because replay needs it. May import protocol and decide only.
 */
import type { AccountBreaker } from '../../protocol/limits.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { clip, utcMinute } from '../text.js';

const MINUTE = 60_000;
/** Delays between tries after the back-off of B8 is used up. */
const LONG_WAITS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE];
/** Delays for an outage. Nobody announces its end, and finding it late costs more than a try. */
const PROVIDER_WAITS = [2 * MINUTE, 5 * MINUTE, 10 * MINUTE];
/** Failed launches in a row, by any idea, that park the agent; and the delays between tries after that. */
export const LAUNCH_FAILURES = 3;
const LAUNCH_WAITS = [10 * MINUTE, 30 * MINUTE, 60 * MINUTE];
/** A stated reset further away than this is treated as wrong. No account has a limit longer than a week. */
const LONGEST_RESET_MS = 8 * 24 * 60 * MINUTE;
/** Clocks differ, and a try that comes too early parks the account again. */
const SLACK_MS = 1000;
const JITTER_MS = 2000;

/** Undefined: only a person reopens it. */
export function backOffMs(
  { kind, hits }: Pick<AccountBreaker, 'kind' | 'hits'>,
  settings: RunSettings,
): number | undefined {
  const { maxRateLimitRetries, rateLimitBackoffMs, rateLimitFactor, retryBaseMs } = settings;
  if (kind === 'auth') return undefined;
  if (kind === 'launch') {
    return hits < LAUNCH_FAILURES ? retryBaseMs * 2 ** (hits - 1) : nth(LAUNCH_WAITS, hits - LAUNCH_FAILURES);
  }
  if (hits <= maxRateLimitRetries) return rateLimitBackoffMs * rateLimitFactor ** (hits - 1);
  return nth(kind === 'provider' ? PROVIDER_WAITS : LONG_WAITS, hits - maxRateLimitRetries - 1);
}

/** At most the longest back-off, and nothing once the retries are used up. */
export function isBrief(breaker: AccountBreaker, settings: RunSettings, now: number): boolean {
  const { maxRateLimitRetries: most, rateLimitBackoffMs, rateLimitFactor } = settings;
  const longest = most === 0 ? 0 : rateLimitBackoffMs * rateLimitFactor ** (most - 1);
  const tries = breaker.kind === 'launch' ? LAUNCH_FAILURES - 1 : most;
  const waitMs = breaker.until === undefined ? Number.POSITIVE_INFINITY : breaker.until - now;
  return breaker.hits <= tries && (breaker.kind === 'launch' || waitMs <= longest);
}

const nth = (waits: readonly number[], n: number): number => waits[Math.min(n, waits.length - 1)] ?? 0;

/** A reset in the past is useless: retrying at once, again and again, would hammer the account. */
export const isPlausible = (resetAt: number | undefined, now: number): resetAt is number =>
  resetAt !== undefined && resetAt > now && resetAt - now <= LONGEST_RESET_MS;

/**
 * Differs between accounts, so that machines do not all retry at once. Constant for one account, because replay needs
 * it.
 */
export function slack(key: string): number {
  let hash = 0;
  for (const char of key) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return SLACK_MS + (hash % JITTER_MS);
}

/* Closed breakers as text. */

/** The text ends with a command, so a long reason is cut before it: whoever shows the text cuts at the end. */
const MAX_CAUSE = 120;

/** One closed breaker as text. */
export function breakerText(breaker: AccountBreaker, name: string): string {
  const reason = clip(breaker.reason, MAX_CAUSE);
  if (breaker.state === 'probing') return `${name} is being retried (${reason})`;
  switch (breaker.kind) {
    case 'limited':
      return `${name} is at a usage limit until ${clock(breaker.until)} (${reason})`;
    case 'provider':
      return `${name} gets no answer from its provider (${reason}); ralphctl retries at ${clock(breaker.until)}. To retry now: ralphctl limits retry`;
    case 'auth':
      return `${name} needs a login (${reason}); log in, then: ralphctl limits retry`;
    case 'launch':
      return `${name} does not start (${reason}); ralphctl retries at ${clock(breaker.until)}. To retry now: ralphctl limits retry`;
  }
}

const clock = (at: number | undefined): string => (at === undefined ? '?' : utcMinute(at));
