/**
 * The environment of gate and setup commands: ours, without what belongs to ralphctl or to a git command around us.
 * Invariant: no Temporal address or credential and no state folder gets into code that an agent wrote. Pure.
 */
const WITHHELD = /^(TEMPORAL_|GIT_|RALPHCTL_)/i;

/** `slot` is added last; `CI=1` tells runners that nobody watches. */
export function gateEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  slot: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) if (value !== undefined && !WITHHELD.test(key)) kept[key] = value;
  return { ...kept, CI: '1', GIT_TERMINAL_PROMPT: '0', ...slot };
}
