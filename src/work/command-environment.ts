/** The environment of the user's own commands (set-up, gate) for one place, and what to say when they miss a variable. */
import { gateEnvironment, withheldFrom, withheldHint } from '../gate/environment.js';
import type { RunFile } from '../runs/run-files.js';
import type { WorkDeps } from './deps.js';
import { slotEnvironment } from './slot-environment.js';

/** As much of a run as its commands need; `doctor` has no run. */
export interface Configured {
  file: Pick<RunFile, 'config' | 'repo'>;
}

export interface CommandEnvironment {
  env: Record<string, string>;
  hint: (said: string) => string | undefined;
}

export function commandEnvironment(
  deps: WorkDeps,
  run: Configured,
  part: 'gate' | 'setup',
  where: { agentName: string; project: string; idea: string },
): CommandEnvironment {
  // A run that was pinned by 0.1 has no such list.
  const passEnv: readonly string[] = run.file.config[part].passEnv ?? [];
  return {
    env: gateEnvironment(deps.env, slotEnvironment(where), passEnv),
    hint: (said) => withheldHint(withheldFrom(deps.env, said, passEnv), `${part}.passEnv`),
  };
}
