/**
 * Texts with which CLIs and providers report failures: data, tried in order.
 * Invariant: applied only to the error text of a failed run, never to an agent's prose.
 */
import type { FailureWords } from '../../config/agent-spec.js';
import type { FailureKind, LimitScope } from '../../protocol/failures.js';

export interface FailurePattern {
  kind: FailureKind;
  pattern: RegExp;
  scope?: LimitScope;
  /** The fix for a person, where the text does not name it. */
  hint?: string;
}

const FAILURE_PATTERNS: readonly FailurePattern[] = [
  // The iteration itself caused a conversation that is too long, whatever status the error has.
  {
    kind: 'context',
    pattern:
      /prompt (?:is|as) too long|ran out of room in the model's context|context(?: window| length|_length)[^\n]{0,40}exceed|(?:input|prompt)[^\n]{0,40}exceeds? the[^\n]{0,20}(?:context|maximum)|maximum context length|hit a token limit/i,
  },
  {
    kind: 'limited',
    scope: 'credit',
    pattern:
      /credit balance is too low|out of (?:extra )?(?:credits|usage)|insufficient[ _](?:credits|balance|quota|funds)|billing hard limit|check your plan and billing|payment required/i,
  },
  {
    kind: 'limited',
    scope: 'usage',
    pattern:
      /hit your (?:usage |session |weekly )?limit|usage limit (?:has been |was )?(?:reached|exceeded)|(?:exhausted|exceeded) your (?:\w+ )?quota|(?<!(?:disk|storage|file|inode|block|space|volume)s? )quota exceeded|daily quota|free tier/i,
  },
  {
    kind: 'limited',
    scope: 'rate',
    pattern:
      /\brate[ _-]?limit(?:ed|s| exceeded| reached|_error)?\b|rate limited you|too many requests|resource (?:has been |_)?exhausted|\bstatus:? 429\b|\(429\)/i,
  },
  {
    kind: 'auth',
    pattern:
      /not logged in|please (?:run \/?|log ?in)|invalid (?:api|x-api)[ -]key|incorrect api key|api[ _]key[ _](?:not valid|invalid)|(?:no|missing) api key|must specify the \w+_API_KEY|authentication[_ ](?:failed|error)|auth(?:entication)? (?:method|type)[^\n]{0,30}(?:not |required)|\b401 unauthorized\b|token (?:has )?expired|missing environment variable: `?\w*KEY|(?:country|region|territory|location)[^\n]{0,60}\bnot supported|\b403 forbidden\b|\bpermission_denied\b|\b403\b[^\n]{0,60}permission denied/i,
  },
  {
    kind: 'config',
    hint: 'Run it as another user; or, where the whole machine is a sandbox, say "sandboxed: true" for this agent in ralphctl.yaml.',
    pattern: /cannot be used with root/i,
  },
  {
    kind: 'config',
    pattern:
      /unknown (?:option|argument|flag)|unexpected argument|unrecognized (?:option|argument)|invalid (?:option|value for)/i,
  },
  {
    kind: 'config',
    pattern:
      /model[^\n]{0,80}(?:does not exist|not found|not supported)|unknown model|command not found|no model (?:selected|configured|specified)/i,
  },
  {
    kind: 'transient',
    pattern:
      /overloaded|experiencing high demand|temporary errors?\b|service unavailable|internal server error|bad gateway|gateway time-?out|\bstatus:? 5\d\d\b/i,
  },
  {
    kind: 'transient',
    pattern:
      /connection (?:refused|reset|failed|error)|(?:unable|cannot|failed) to connect|(?:cannot|could not) connect|waiting for network|stream disconnected|\[api error: terminated|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|EAI_AGAIN|\bENOTFOUND\b|socket hang up|fetch failed|error sending request|network error|error decoding response|^terminated$/im,
  },
];

/** The meaning of a provider's HTTP status alone; undefined when it is not enough. */
export function kindOfStatus(status: number): FailureKind | undefined {
  if (status === 429 || status === 402) return 'limited';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'config';
  if (status === 413) return 'context';
  if (status === 408 || status === 409 || status >= 500) return 'transient';
  return undefined;
}

const LOOKED_AT = 8192;

/** The first pattern that matches an error text, `more` before the built-in ones. Searches its last 8 KiB. */
export function patternOf(text: string, more: readonly FailureWords[] = []): FailurePattern | undefined {
  const end = text.slice(-LOOKED_AT);
  const own = more.find(({ match }) => new RegExp(match, 'i').test(end));
  if (own) return { kind: own.kind, pattern: new RegExp(own.match, 'i') };
  return FAILURE_PATTERNS.find(({ pattern }) => pattern.test(end));
}

/** The kind of limit in an error text. */
export function scopeOf(text: string): LimitScope | undefined {
  const end = text.slice(-LOOKED_AT);
  return FAILURE_PATTERNS.find(({ scope, pattern }) => scope !== undefined && pattern.test(end))?.scope;
}

/**
 * Finds a provider's HTTP status in an error text, for CLIs that report it only there.
 * Invariant: applied to errors of a CLI, never to prose. A number counts only in the place of a status.
 */
const FORMS = [
  /\b(?:unexpected status|last status:?|status code:?|status:|HTTP(?: status)?:?|API Error:) ?\(?([45]\d\d)\b/i,
  /^\W{0,3}([45]\d\d)\b(?!\s*(?:%|ms|s|tokens)\b)/,
  /"(?:code|status|statusCode)"\s*:\s*([45]\d\d)\b/,
];

export function statusIn(message: string): number | undefined {
  const text = message.slice(0, 4096);
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match) return Number(match[1]);
  }
  return undefined;
}
