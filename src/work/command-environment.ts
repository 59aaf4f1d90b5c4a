/** The environment of the user's own commands (set-up, gate) for one place, and what to say when they miss a variable. */
import { gateEnvironment, withheldFrom, withheldHint } from '../gate/environment.js';
import type { LoadedRun } from '../runs/run-files.js';
import type { WorkDeps } from './deps.js';
import { slotEnvironment } from './slot-environment.js';

export interface CommandEnvironment {
  env: Record<string, string>;
  hint: (said: string) => string | undefined;
}

export function commandEnvironment(
  deps: WorkDeps,
  run: LoadedRun,
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
