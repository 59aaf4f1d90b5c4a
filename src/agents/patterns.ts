/**
 * Words in which CLIs and providers report failures: data, tried in order.
 * Invariant: applied only to the error text of a run that is already known to have failed, never to an agent's prose.
 */
import type { FailureKind } from '../protocol/failures.js';

export interface FailurePattern {
  kind: FailureKind;
  pattern: RegExp;
}

export const FAILURE_PATTERNS: readonly FailurePattern[] = [
  // Too large a prompt is the iteration's own doing, whatever status it came with.
  {
    kind: 'agent',
    pattern: /prompt is too long|ran out of room in the model's context|context(?: window| length)[^\n]{0,40}exceed/i,
  },
  {
    kind: 'limited',
    pattern:
      /hit your (?:usage |session |weekly )?limit|usage limit (?:reached|exceeded)|quota exceeded|exceeded your (?:current |daily )?quota|insufficient_quota/i,
  },
  { kind: 'limited', pattern: /credit balance is too low|out of (?:extra )?(?:credits|usage)|billing hard limit/i },
  {
    kind: 'limited',
    pattern: /\brate[ _-]?limit(?:ed|s| exceeded| reached|_error)?\b|too many requests|\bstatus:? 429\b|\(429\)/i,
  },
  {
    kind: 'auth',
    pattern:
      /not logged in|please run \/login|invalid (?:api|x-api)[ -]key|incorrect api key|authentication[_ ](?:failed|error)|\b401 unauthorized\b|token (?:has )?expired|missing environment variable: `?\w*KEY/i,
  },
  {
    kind: 'config',
    pattern:
      /unknown (?:option|argument|flag)|unexpected argument|unrecognized (?:option|argument)|invalid (?:option|value for)/i,
  },
  {
    kind: 'config',
    pattern:
      /cannot be used with root|model[^\n]{0,80}(?:does not exist|not found|not supported)|unknown model|command not found/i,
  },
  {
    kind: 'transient',
    pattern: /overloaded|service unavailable|internal server error|bad gateway|gateway time-?out|\bstatus:? 5\d\d\b/i,
  },
  {
    kind: 'transient',
    pattern:
      /connection (?:refused|reset|failed|error)|unable to connect|waiting for network|stream disconnected|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|socket hang up|fetch failed|network error/i,
  },
];

/** What a provider's HTTP status says by itself; undefined when it says too little. */
export function kindOfStatus(status: number): FailureKind | undefined {
  if (status === 429) return 'limited';
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'limited';
  if (status === 404) return 'config';
  if (status === 408 || status === 409 || status >= 500) return 'transient';
  return undefined;
}

/** The kind that the words of an error give away. Looks at its last 8 KiB. */
export function kindOfText(text: string): FailureKind | undefined {
  const end = text.slice(-8192);
  return FAILURE_PATTERNS.find(({ pattern }) => pattern.test(end))?.kind;
}
