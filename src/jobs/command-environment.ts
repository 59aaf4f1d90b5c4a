/** Builds the environment of the user's commands (set-up, gate) for one slot, and a hint for a missing variable. */
import { gateEnvironment, withheldFrom, withheldHint } from '../gate/environment.js';
import { passedValues, secretValues } from '../process/redact.js';
import type { OpenSandbox } from '../process/sandbox/launch.js';
import type { RunFile } from '../run-files/shapes.js';
import type { WorkDeps } from './job.js';
import { gateSandboxFor } from './sandbox.js';

/** The parts of a run that its commands need; `doctor` has no run. */
export interface Configured {
  file: Pick<RunFile, 'config' | 'repo'>;
}

export interface CommandEnvironment {
  env: Record<string, string>;
  hint: (said: string) => string | undefined;
  /** Texts that must not reach its log. */
  secrets: string[];
  /** Undefined: it runs as the user. */
  sandbox: OpenSandbox | undefined;
}

export function commandEnvironment(
  deps: WorkDeps,
  run: Configured,
  part: 'gate' | 'setup',
  where: { agentName: string; project: string; idea: string; dir: string; logDir: string },
): CommandEnvironment {
  // Runs that version 0.1 started have no such list.
  const passEnv: readonly string[] = run.file.config[part].passEnv ?? [];
  const env = gateEnvironment(deps.env, slotEnvironment(where), passEnv);
  return {
    env,
    sandbox: gateSandboxFor(deps, run.file, where),
    secrets: [...secretValues(env), ...passedValues(env, passEnv)],
    hint: (said) => withheldHint(withheldFrom(deps.env, said, passEnv), `${part}.passEnv`),
  };
}

/** What commands of every slot get alike: the slot's numbers are left out. */
export const environmentThatCounts = (
  deps: WorkDeps,
  { file }: Configured,
  part: 'gate' | 'setup',
): Array<[name: string, value: string]> =>
  Object.entries(gateEnvironment(deps.env, {}, file.config[part].passEnv ?? [])).sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Separates ports and container names of concurrent work by a number each.
 * Invariant: an idea uses its number, 1 to 100 or above 102, for its agent, its set-up and its gate. Other concurrent work
 * uses the numbers below.
 */
export const SEATS = {
  /** Landings and their undo run one at a time. */
  landing: 'landing-0',
  /** The gate on the base commit runs one at a time. */
  baseline: 'baseline-101',
  /** The base's tests over an idea's code run one at a time. */
  baseTests: 'base-tests-102',
} as const;

/** Names of slots; the others are in `SEATS`. */
const IDEAS = 'ed-';

export function slotEnvironment(input: { agentName: string; project: string; idea: string }): Record<string, string> {
  const number = Number(/\d+$/.exec(input.agentName)?.[0] ?? 1);
  // Ideas whose gates run beside the slots have numbers above those of slots.
  const slot = number > 100 && input.agentName.startsWith(IDEAS) ? number + 2 : number;
  return {
    RALPHCTL_SLOT: String(slot),
    RALPHCTL_PORT_BASE: String(20_000 + slot * 100),
    COMPOSE_PROJECT_NAME: `${input.project}-${slot}`.toLowerCase().replace(/[^a-z0-9_-]/g, '-'),
  };
}
