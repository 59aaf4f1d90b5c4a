/**
 * The environment of gate and setup commands: an allow-list for common tool chains, plus the names in the
 * configuration.
 * Invariant: no Temporal address or credential, no state folder and no unnamed variable reaches code that an agent
 * wrote. Pure.
 */
import { ORDINARY_VARIABLES } from '../process/ordinary-env.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Belongs to ralphctl or to a git command around it: the configuration cannot pass it. */
const WITHHELD = /^(TEMPORAL_|GIT_|RALPHCTL_)/i;

/** A gate's own git shows the content that lands: agents can write replace refs, and forge indexes of objects. */
const WHAT_LANDS = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.commitGraph',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'core.multiPackIndex',
  GIT_CONFIG_VALUE_1: 'false',
};

const ORDINARY: ReadonlySet<string> = new Set(ORDINARY_VARIABLES);
/** Words of an error output that a longest environment name can be; cheaper than one search for each variable. */
const WORD = /[A-Za-z_][A-Za-z0-9_]{2,}/g;
const MOST_NAMED = 5;

const isPassed = (name: string, passEnv: readonly string[]): boolean =>
  !WITHHELD.test(name) && (ORDINARY.has(name) || passEnv.includes(name));

/** `slot` is added last; `CI=1` tells runners that nobody watches. `passEnv`: further names that pass. */
export function gateEnvironment(
  env: Env,
  slot: Readonly<Record<string, string>>,
  passEnv: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) if (value !== undefined && isPassed(key, passEnv)) kept[key] = value;
  return { ...kept, CI: '1', GIT_TERMINAL_PROMPT: '0', ...WHAT_LANDS, ...slot };
}

/**
 * Names of variables that are set here, that gates do not get, and that `text` (a command, or the output of a failed
 * one) mentions. Names only, never values.
 */
export function withheldFrom(env: Env, text: string, passEnv: readonly string[] = []): string[] {
  const found = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    const set = env[word] !== undefined && env[word] !== '';
    if (set && !WITHHELD.test(word) && !isPassed(word, passEnv) && !ALWAYS_SET.has(word)) found.add(word);
  }
  return [...found].sort().slice(0, MOST_NAMED);
}

/** Set by the shell itself, or overridden for gates. */
const ALWAYS_SET: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'SHLVL', '_', 'CI', 'INIT_CWD']);

/** A hint for the reader of the failure; undefined when no variable is missing. */
export function withheldHint(names: readonly string[], key: string): string | undefined {
  if (names.length === 0) return undefined;
  const are = names.length === 1 ? 'is set for ralphctl but is' : 'are set for ralphctl but are';
  return `${names.join(', ')} ${are} not passed to this command; pass it with ${key}: [${names.join(', ')}]`;
}
