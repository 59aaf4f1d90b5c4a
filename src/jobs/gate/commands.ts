/** The gate commands of the configuration, ready to run. */
import type { Config } from '../../config/schema.js';
import type { GateCommand } from '../../gate/run.js';

export const gateCommands = (config: Config): GateCommand[] =>
  config.gate.commands.map(({ name, run, timeoutMinutes, reports }) => ({
    name,
    run,
    timeoutMs: timeoutMinutes * 60_000,
    reports,
  }));
