/**
 * The environment of git commands that talk to a remote: the user's credentials, and settings as variables, so that no
 * address with a login stands in a process list.
 * Invariant: an allow-list, beside the one of the runner. Nothing asks a person. Must not start git.
 */

/** ssh, credential helpers of forges and systems, and settings that a person gave as variables. */
const CREDENTIALS = new Set([
  ...['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSH_VARIANT', 'GIT_ASKPASS', 'SSH_ASKPASS', 'SSH_ASKPASS_REQUIRE'],
  ...['GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'GIT_SSL_CERT', 'GIT_SSL_KEY', 'GIT_SSL_NO_VERIFY', 'KRB5CCNAME'],
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR'],
  ...['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'GL_TOKEN', 'GITLAB_HOST', 'GLAB_CONFIG_DIR', 'CI_JOB_TOKEN'],
  ...['GPG_TTY', 'PASSWORD_STORE_DIR', 'DISPLAY', 'WAYLAND_DISPLAY'],
]);
const GIVEN = /^GIT_CONFIG_(?:KEY|VALUE)_\d+$/;

type Entry = readonly [key: string, value: string];

/** `config`: settings of this command, after those that the user's own variables give. */
export function credentialsOf(
  env: Readonly<Record<string, string | undefined>>,
  passEnv: readonly string[],
  config: readonly Entry[],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && (CREDENTIALS.has(name) || passEnv.includes(name)) && !GIVEN.test(name))
      kept[name] = value;
  const all = [...ownConfig(env), ...config];
  for (const [n, [key, value]] of all.entries()) {
    kept[`GIT_CONFIG_KEY_${n}`] = key;
    kept[`GIT_CONFIG_VALUE_${n}`] = value;
  }
  return { ...kept, GIT_CONFIG_COUNT: String(all.length), GCM_INTERACTIVE: 'never' };
}

/** Settings that the user's environment gives to git, e.g. a header with a token. */
function ownConfig(env: Readonly<Record<string, string | undefined>>): Entry[] {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  if (!Number.isInteger(count) || count <= 0 || count > 1000) return [];
  return Array.from(
    { length: count },
    (_, n) => [env[`GIT_CONFIG_KEY_${n}`], env[`GIT_CONFIG_VALUE_${n}`]] as const,
  ).filter((one): one is readonly [string, string] => one[0] !== undefined && one[1] !== undefined);
}
