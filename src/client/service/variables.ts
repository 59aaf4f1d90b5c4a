/**
 * The environment of a service: which variables it gets, and the file that systemd reads them from.
 * Invariant: never the whole environment. PATH and ralphctl's own settings without secrets go by themselves; everything
 * else only by its name.
 */
import { resolve } from 'node:path';
import { agentEnvironment } from '../../agents/environment.js';
import { type Config, resolveAgent } from '../../config/schema/config.js';
import { ORDINARY_VARIABLES } from '../../process/ordinary-env.js';
import { UserError } from '../../protocol/user-error.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The service must find the same state folder, server and cluster. TEMPORAL_API_KEY and keys as text are secrets. */
const OWN = [
  ...['RALPHCTL_PORT', 'RALPHCTL_UI_PORT', 'RALPHCTL_HOST', 'RALPHCTL_TEMPORAL_BIN', 'GOGC', 'GOMEMLIMIT'],
  ...['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_TLS'],
  ...['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
  ...['TEMPORAL_TLS_SERVER_NAME', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'],
];
const OWN_FOLDERS = ['RALPHCTL_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'];

/** They go by themselves. */
const isOwn = (name: string): boolean => name === 'PATH' || OWN.includes(name) || OWN_FOLDERS.includes(name);

/** Those that a person named. */
export const namedOf = (variables: ReadonlyMap<string, string>): string[] =>
  [...variables.keys()].filter((name) => !isOwn(name));

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface Wanted {
  /** Named by the person; undefined: those of the last install. */
  names?: readonly string[] | undefined;
  /** Of the last install. */
  before: ReadonlyMap<string, string>;
}

/** @throws UserError for a name that is none, or has no value */
export function serviceVariables(env: Env, { names, before }: Wanted): Map<string, string> {
  const variables = new Map([['PATH', env.PATH || '/usr/local/bin:/usr/bin:/bin']]);
  for (const name of OWN_FOLDERS) if (env[name]) variables.set(name, resolve(env[name]));
  for (const name of OWN) if (env[name]) variables.set(name, env[name]);
  for (const name of names ?? namedOf(before)) {
    if (!NAME.test(name)) throw new UserError(badName(name));
    const value = env[name] ?? before.get(name);
    if (value === undefined) {
      const fix = `export ${name}=…, then: ralphctl service install --env ${name}`;
      throw new UserError(`${name} is not set in this shell, so the service cannot get it. ${fix}`, undefined, fix);
    }
    variables.set(name, value);
  }
  for (const [name, value] of variables)
    if (/[^\P{Cc}\t\n]/u.test(value) || value.includes('\ufffd'))
      throw new UserError(`the value of ${name} has control characters, which a service cannot get. Remove them`);
  return variables;
}

function badName(name: string): string {
  const [before = ''] = name.split('=');
  const meant = name.includes('=') && NAME.test(before) ? ` Export it in this shell, then: --env ${before}` : '';
  return `--env takes the names of variables, and ${JSON.stringify(name)} is none.${meant || ' Example: --env ANTHROPIC_API_KEY'}`;
}

/** Set in this shell, and an agent, the gate, the set-up or Temporal would get it from a worker of this shell. */
export function notPassed(env: Env, variables: ReadonlyMap<string, string>, config: Config | undefined): string[] {
  const agents = config ? [config.agent, ...config.fallback].map((name) => resolveAgent(config, name)) : [];
  const named = new Set(config ? [...config.gate.passEnv, ...config.setup.passEnv] : []);
  const wants = (name: string): boolean =>
    named.has(name) ||
    (name.startsWith('TEMPORAL_') && !OWN.includes(name)) ||
    (ORDINARY_VARIABLES.includes(name) && !isOfSession(name)) ||
    agents.some((spec) => {
      const given = agentEnvironment({ ...spec, env: {} }, { [name]: 'x' });
      return given[name] === 'x' && !isOfSession(name);
    });
  return Object.keys(env)
    .filter((name) => env[name] && NAME.test(name) && !variables.has(name) && wants(name))
    .sort();
}

/** A service manager sets them anew, or they belong to a terminal, a desktop or a login. */
const isOfSession = (name: string): boolean =>
  /^(?:HOME|USER|LOGNAME|SHELL|TERM|COLUMNS|LINES|TMPDIR|TMP|TEMP|LANG|LANGUAGE|LC_\w+|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|NO_COLOR|FORCE_COLOR|CI|SSH_AUTH_SOCK|SSH_AGENT_PID)$/.test(
    name,
  );

/* The file: assignments as systemd reads them, which a POSIX shell reads alike. */

export function environmentFile(variables: ReadonlyMap<string, string>): string {
  const lines = [...variables].map(([name, value]) => `${name}="${value.replace(/["\\$`]/g, '\\$&')}"`);
  return `# Variables of the ralphctl service. After a change: systemctl --user restart the service.\n${lines.join('\n')}\n`;
}

const ASSIGNMENT = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^\n]*))/gm;

/** The variables of such a file, also of one that a person edited. */
export function readEnvironment(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [, name = '', double, single, plain = ''] of text.matchAll(ASSIGNMENT)) {
    const value = double?.replace(/\\(?:\n|(["\\$`]))/g, '$1') ?? single ?? plain.trim().replace(/\\(.)/g, '$1');
    variables.set(name, value);
  }
  return variables;
}
