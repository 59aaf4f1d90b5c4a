/** The environment of the user's own commands (set-up, gate) for one slot, and a hint when they miss a variable. */
import { gateEnvironment, withheldFrom, withheldHint } from '../gate/environment.js';
import { passedValues, secretValues } from '../process/redact.js';
import type { RunFile } from '../run-files/shapes.js';
import type { WorkDeps } from './job.js';

/** As much of a run as its commands need; `doctor` has no run. */
export interface Configured {
  file: Pick<RunFile, 'config' | 'repo'>;
}

export interface CommandEnvironment {
  env: Record<string, string>;
  hint: (said: string) => string | undefined;
  /** Texts that must not reach its log. */
  secrets: string[];
}

export function commandEnvironment(
  deps: WorkDeps,
  run: Configured,
  part: 'gate' | 'setup',
  where: { agentName: string; project: string; idea: string },
): CommandEnvironment {
  // Runs pinned by 0.1 have no such list.
  const passEnv: readonly string[] = run.file.config[part].passEnv ?? [];
  const env = gateEnvironment(deps.env, slotEnvironment(where), passEnv);
  return {
    env,
    secrets: [...secretValues(env), ...passedValues(env, passEnv)],
    hint: (said) => withheldHint(withheldFrom(deps.env, said, passEnv), `${part}.passEnv`),
  };
}

/**
 * Separates ports and container names of concurrent work: each has its own number.
 * Invariant: agents have 1 to 100, with their set-up and their idea's gate. Other concurrent work has the numbers
 * below.
 */
export const SEATS = {
  /** Landings and their undo: one at a time. */
  landing: 'landing-0',
  /** The gate on the base commit: one at a time. */
  baseline: 'baseline-101',
  /** The base's tests over an idea's code: one at a time. */
  baseTests: 'base-tests-102',
} as const;

export function slotEnvironment(input: { agentName: string; project: string; idea: string }): Record<string, string> {
  const slot = Number(/\d+$/.exec(input.agentName)?.[0] ?? 1);
  return {
    RALPHCTL_SLOT: String(slot),
    RALPHCTL_PORT_BASE: String(20_000 + slot * 100),
    COMPOSE_PROJECT_NAME: `${input.project}-${slot}`.toLowerCase().replace(/[^a-z0-9_-]/g, '-'),
  };
}
