/**
 * The configuration of a run: the file with the flags of the command line on top.
 * Invariant: a start and a reload give the same result for the same file and flags.
 */

import { loadConfig } from '../../config/load.js';
import type { Config } from '../../config/schema/config.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { lastRevision, readRevision } from '../../run-files/revisions.js';
import { loadRun } from '../../run-files/run.js';
import type { ConfigFlags, RunFile } from '../../run-files/shapes.js';

/** Iterations of a roadmap task that sets none, when neither flag nor configuration sets them (F1). */
const ROADMAP_ITERATIONS = 30;

export type ReadConfig = Awaited<ReturnType<typeof loadConfig>>;
export const readConfig = (root: string): Promise<ReadConfig> => loadConfig(root);

/** What the configuration of a run depends on besides file and flags. */
export interface ConfigOf {
  format: FormatName;
  /** A run with waves has slots of its own. */
  waves: boolean;
}

export const configOf = ({ backlog, waves }: Pick<RunFile, 'backlog' | 'waves'>): ConfigOf => ({
  format: backlog.format,
  waves: waves !== undefined,
});

export function configFor({ config, given }: ReadConfig, flags: ConfigFlags, { format, waves }: ConfigOf): Config {
  const filled = structuredClone(config);
  if (waves) filled.slots = config.waves.slots;
  if (format === 'roadmap' && !given.has('maxIterations')) filled.maxIterations = ROADMAP_ITERATIONS;
  return withFlags(filled, flags);
}

export function withFlags(config: Config, { agent, slots, maxIterations, gate = [], source }: ConfigFlags): Config {
  const { timeoutMinutes } = config.gate;
  const commands = gate.map((run) => ({ name: run, run, timeoutMinutes, reports: [] }));
  return {
    ...config,
    ...(agent === undefined ? {} : { agent }),
    ...(slots === undefined ? {} : { slots }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(commands.length > 0 ? { gate: { ...config.gate, commands } } : {}),
    ...(source ? { backlog: source } : {}),
  };
}

/** The flags of `start` that change the configuration. `tick` is true by default. */
export function configFlags({ agent, slots, maxIterations, gate, tick, source }: ConfigFlags): ConfigFlags {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(slots === undefined ? {} : { slots }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(gate && gate.length > 0 ? { gate } : {}),
    ...(tick === false ? { tick } : {}),
    ...(source ? { source } : {}),
  };
}

export interface RunConfig {
  file: RunFile;
  config: Config;
  tick: boolean;
  flags: ConfigFlags;
  /** 0: the configuration of the start. */
  revision: number;
}

/**
 * The run's newest configuration.
 * @throws when this host has no files of the run
 */
export async function configOfRun(root: string, { project, runId }: RunRef): Promise<RunConfig> {
  const ref = { project, runId };
  const { file } = await loadRun(root, ref);
  const revision = await lastRevision(root, ref);
  const { config, tick, flags = {} } = revision === 0 ? file : await readRevision(root, ref, revision);
  return { file, config, tick, flags, revision };
}
