/** Every command of the program, by its group. Invariant: imports nothing heavy. */
import type { Command as Program } from 'commander';
import { addInspect } from './inspect.js';
import { addInternals } from './internals.js';
import type { Run } from './options.js';
import { addRecovery } from './recover.js';
import { addRun } from './run.js';
import { addSetup } from './setup.js';
import { addSteering } from './steer.js';

export function addCommands(program: Program, run: Run): void {
  for (const [group, add] of [
    ['Setup:', addSetup],
    ['Run:', addRun],
    ['Inspect:', addInspect],
    ['Steer:', addSteering],
    ['Recover:', addRecovery],
    ['Internals:', addInternals],
  ] as const) {
    program.commandsGroup(group);
    add(program, run);
  }
}
