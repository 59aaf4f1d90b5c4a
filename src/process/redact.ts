/**
 * Removes secrets from text and output: values of variables that hold one, and text shaped like a known token.
 * Invariant: other text stays byte for byte; memory is bounded. A secret that arrives in pieces is found as long as its
 * line is shorter than 64 KiB. Best effort: an encoded or reworded secret passes.
 */
import { ORDINARY_VARIABLES } from './ordinary-env.js';
import { loginsIn, optionsIn, PLAIN, SECRET_NAME } from './secret-parts.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Names of values that look like secrets but are not, and that are frequent in output. */
const OPEN_NAME =
  /^(?:RALPHCTL_|GIT_)|^(?:OLD)?PWD$|(?:^|_)(?:COMMIT|SHA|REF|REV|REVISION|VERSION|BRANCH|TAG|PATH|DIR|HOME|SOCK|FILE|HOST|PORT|USER|ID)$/i;
/** Shorter ones would black out ordinary words. */
const SHORTEST = 8;
/** The same, where only the value's shape marks it. */
const SHORTEST_UNNAMED = 12;
/** The same, of variables that the configuration passes on. */
const SHORTEST_PASSED = 4;
const MASK = '[redacted]';

/**
 * Shapes of tokens: a text that all of a kind contain, and the expression. The text is searched first, because that is
 * much cheaper. The group, if any, stays.
 */
const SHAPES: ReadonlyArray<readonly [hint: string, shape: RegExp]> = [
  ['sk-', /()\bsk-[A-Za-z0-9_-]{20,}/g],
  ['gh', /()\bgh[pousr]_[A-Za-z0-9]{30,}/g],
  ['github_pat_', /()\bgithub_pat_[A-Za-z0-9_]{30,}/g],
  ['glpat-', /()\bglpat-[A-Za-z0-9_-]{20,}/g],
  ['xox', /()\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g],
  ['AKIA', /()\bAKIA[A-Z0-9]{16}\b/g],
  ['ASIA', /()\bASIA[A-Z0-9]{16}\b/g],
  ['AIza', /()\bAIza[A-Za-z0-9_-]{35}/g],
  ['npm_', /()\bnpm_[A-Za-z0-9]{36}/g],
  ['hf_', /()\bhf_[A-Za-z0-9]{30,}/g],
  ['pypi-', /()\bpypi-[A-Za-z0-9_-]{50,}/g],
  ['gsk_', /()\bgsk_[A-Za-z0-9]{32,}/g],
  ['xai-', /()\bxai-[A-Za-z0-9]{32,}/g],
  ['.eyJ', /()\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,2000}/g],
  ['earer ', /(\b[Bb]earer )[A-Za-z0-9._~+/=-]{16,}/g],
  // A token alone: other schemes (ssh) and a shorter one (git) have a user's name there.
  ['://', /(https?:\/\/)[^\s:@/"'?#]{4,4096}(?=(?::(?:x-oauth-basic|x)?)?@)/g],
  ['://', /(:\/\/[^\s:@/"']{0,100}:)[^\s:@/"']{3,4096}(?=@)/g],
  ['PRIVATE KEY-----', /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:[^-]|-(?!----)){1,8192}/g],
];

const OPEN: ReadonlySet<string> = new Set(ORDINARY_VARIABLES);

/**
 * A value that ordinary output would not contain by chance: letters and digits mixed in one word. Paths, addresses
 * without a login, numbers, versions and plain words do not count.
 */
function looksSecret(value: string): boolean {
  if (value.length < SHORTEST_UNNAMED || /^[A-Za-z][A-Za-z._-]*\d{1,6}$/.test(value)) return false;
  if (/\s/.test(value) || /^(?:[~.]?\/|[A-Za-z]:\\)/.test(value)) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\/[^@]*$/i.test(value)) return false;
  return /[A-Za-z]/.test(value) && /\d/.test(value) && !/^[vV]?\d+(?:\.\d+)*(?:[-+.][\w.]+)?$/.test(value);
}

function isSecret(name: string, value: string): boolean {
  // Shells export functions, too: their lines are code.
  if (value.length < SHORTEST || OPEN.has(name) || name.startsWith('BASH_FUNC_')) return false;
  return SECRET_NAME.test(name) ? !/^\/|^\d+$/.test(value) : !OPEN_NAME.test(name) && looksSecret(value);
}

/**
 * The secret values in an environment: by the name of their variable, else by their shape; and the secret parts of
 * values, also of variables that all commands get.
 */
export function secretValues(...environments: readonly Env[]): string[] {
  const values = new Set<string>();
  for (const [name, value] of environments.flatMap((env) => Object.entries(env))) {
    if (value === undefined) continue;
    if (isSecret(name, value)) values.add(value);
    for (const part of [...loginsIn(value), ...(OPEN.has(name) ? optionsIn(value) : [])]) values.add(part);
  }
  return longestFirst([...values]);
}

/** One secret may begin with another. */
const longestFirst = (values: readonly string[]): string[] => [...values].sort((a, b) => b.length - a.length);

/**
 * The lines of a value with several (a key, a service account): output may have them one by one, and a stream is
 * redacted line by line. A line that only says what follows (`-----BEGIN …`) is no secret.
 */
const linesOf = (value: string): string[] =>
  value.includes('\n')
    ? value
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.length >= SHORTEST && !/^-----.*-----$/.test(line))
    : [];

/**
 * Values of variables that the configuration passes on (`passEnv`): most of them are secrets, whatever their name and
 * shape. Paths, short numbers, switches and names of hosts and users are not.
 */
export function passedValues(env: Env, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = env[name];
    if (value === undefined || value.length < SHORTEST_PASSED || OPEN.has(name) || /^\//.test(value)) return [];
    const marked = SECRET_NAME.test(name);
    const open = !marked && (OPEN_NAME.test(name) || PLAIN.test(value) || /^\d{1,7}$/.test(value));
    return [...(open ? [] : [value]), ...loginsIn(value), ...optionsIn(value)];
  });
}

export type Redact = (text: string) => string;

/** A function that masks the given values and every known shape. */
export function redactor(secrets: readonly string[]): Redact {
  const sorted = longestFirst(secrets.flatMap((secret) => [secret, ...linesOf(secret)]));
  return (text) => {
    let clean = text;
    for (const secret of sorted) if (clean.includes(secret)) clean = clean.replaceAll(secret, MASK);
    for (const [hint, shape] of SHAPES) if (clean.includes(hint)) clean = clean.replace(shape, `$1${MASK}`);
    return clean;
  };
}

/** The kind of secret in a text, with its article; undefined: none. */
export type FindSecret = (text: string) => string | undefined;

/** Shapes that files often have without a secret in them: examples of headers, and logins of test databases. */
const OFTEN_HARMLESS: ReadonlySet<string> = new Set(['earer ', '://', 'PRIVATE KEY-----']);
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/;

/**
 * Finds a secret in a file's text. More careful than {@link redactor}: a wrong answer stops work. Values of variables
 * count only when they also look like a secret.
 */
export function secretFinder(...environments: readonly Env[]): FindSecret {
  const all = environments.flatMap((env) => Object.entries(env));
  const values = all.flatMap(([name, value = '']) => (isSecret(name, value) && looksSecret(value) ? value : []));
  const shapes = SHAPES.filter(([hint]) => !OFTEN_HARMLESS.has(hint));
  return (text) => {
    if (values.some((value) => text.includes(value))) return 'the value of a secret variable';
    for (const [hint, shape] of shapes)
      if (text.includes(hint) && text.replace(shape, '') !== text) return `a token (${hint}…)`;
    return PRIVATE_KEY.test(text) ? 'a private key' : undefined;
  };
}

/** A place near the end of an endless line where no token is cut in two. */
function betweenWords(bytes: Buffer): number {
  const latest = bytes.length - 1024;
  for (let at = latest; at > latest - 16_384; at--) if (SEPARATORS.has(bytes[at - 1] ?? 0)) return at;
  return latest;
}

const SEPARATORS: ReadonlySet<number> = new Set(Buffer.from(' \t,;"\''));

/** How much of an unfinished line is held back. */
const LONGEST_LINE = 64 << 10;
const LF = 0x0a;

/** Redacts bytes as they come. Only a last, unfinished line is held back. */
export class RedactingStream {
  readonly #redact: Redact;
  #held: Buffer = Buffer.alloc(0);

  constructor(secrets: readonly string[]) {
    // One character per byte, so that all other data stays unchanged.
    this.#redact = redactor(secrets.map((secret) => Buffer.from(secret).toString('latin1')));
  }

  /** What can be written now. */
  push(chunk: Buffer): Buffer {
    const whole = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let end = whole.lastIndexOf(LF) + 1;
    if (whole.length - end > LONGEST_LINE) end = betweenWords(whole);
    // A copy, because the chunk it is part of is much bigger.
    this.#held = Buffer.from(whole.subarray(end));
    return this.#clean(whole.subarray(0, end));
  }

  /** What was held back. */
  end(): Buffer {
    const rest = this.#clean(this.#held);
    this.#held = Buffer.alloc(0);
    return rest;
  }

  #clean(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    const clean = this.#redact(text);
    return clean === text ? bytes : Buffer.from(clean, 'latin1');
  }
}
