/**
 * Applies the flags of a `start` that finds an open run, and refuses by name the flags that cannot apply.
 * Invariant: drops no flag silently, and changes nothing that no flag names.
 */

import { isDeepStrictEqual } from 'node:util';
import { flatten, reloadRow } from '../../config/reload.js';
import { trackerOf } from '../../config/schema/tracker.js';
import { many } from '../../protocol/many.js';
import type { ConfigFlags } from '../../run-files/shapes.js';
import type { OpenRun } from '../commands/steer/interventions.js';
import type { Context, Project } from '../context.js';
import { configFlags, configOfRun, type RunConfig } from '../plan/run-config.js';
import type { StartFlags } from '../plan/run-plan.js';
import { backlogFile } from '../plan/source.js';
import { flagOf } from './overridden.js';
import { describeChange, fileChanges, reloadFlags, showValue } from './reload.js';

export interface FlagsTaken {
  /** One line for each thing that changes. */
  taken: string[];
  /** What flags name and the run has already. */
  same: string[];
  /** One sentence for each flag that an open run cannot apply. */
  refused: string[];
}

/** Says for each flag why an open run cannot apply it. */
export async function refusedFlags(context: Context, { file }: RunConfig, flags: StartFlags): Promise<string[]> {
  const refused: string[] = [];
  if (flags.target !== undefined && flags.target !== file.target) {
    const why = reloadRow('target')?.why ?? '';
    refused.push(`--target ${flags.target}: the run lands on ${file.target}; ${why}`);
  }
  if (flags.backlog !== undefined) {
    const named = await backlogFile(context, file.repo, flags.backlog);
    if (named !== file.backlog.file)
      refused.push(
        `${flags.backlog}: the run has the ideas of ${file.backlog.from ?? file.backlog.file}; add more with: ralphctl enqueue ${flags.backlog}`,
      );
  }
  if (flags.source !== undefined && !isDeepStrictEqual(flags.source, trackerOf(file.config)))
    refused.push(
      `the run works on ${file.backlog.from ?? file.backlog.file}; another source applies only to a new run`,
    );
  const { maxWaves, batchSize, confirm } = flags.waves ?? {};
  for (const [flag, wanted, now] of [
    ['--max-waves', maxWaves, file.waves?.maxWaves],
    ['--batch-size', batchSize, file.waves?.batchSize],
  ] as const)
    if (wanted !== undefined && wanted !== now)
      refused.push(`${flag} ${wanted}: the run has ${now ?? 'no waves'}; it applies only to a new run`);
  if (confirm !== undefined && confirm !== (file.waves?.confirm ?? false)) {
    const [flag, does] = confirm
      ? ['--confirm', 'begins the next wave without asking']
      : ['--no-confirm', 'asks after each wave'];
    refused.push(`${flag}: the run ${does}; it applies only to a new run`);
  }
  // What landed takes no retry while the run is open.
  for (const id of flags.again ?? [])
    refused.push(`--again ${id}: it applies only to a new run. End this one first: ralphctl stop`);
  return refused;
}

export async function takeFlags(context: Context, run: OpenRun, flags: StartFlags): Promise<FlagsTaken> {
  const refused = await refusedFlags(context, await configOfRun(context.root, run), flags);
  const taken: string[] = [];
  const same: string[] = [];
  const before = flags.slots === undefined && flags.mode === undefined ? undefined : await run.api.status();
  const { source: _, ...config } = configFlags(flags);
  if (Object.keys(config).length > 0) {
    const { changed } = await reloadFlags(context, run, config);
    taken.push(...changed.filter(({ key }) => key !== 'slots').map(describeChange));
    same.push(...(await unchangedKeys(context, run, config, changed)));
  }
  // The run's own number decides: an earlier command may have changed the slots.
  if (flags.slots !== undefined && before?.slots === flags.slots) same.push(many(flags.slots, 'slot'));
  else if (flags.slots !== undefined) {
    taken.push((await run.api.tell({ verb: 'slots', n: flags.slots }, run.worker)) ?? many(flags.slots, 'slot'));
  }
  if (flags.mode !== undefined && before?.mode === flags.mode) same.push(`mode ${flags.mode}`);
  else if (flags.mode !== undefined) {
    taken.push((await run.api.tell({ verb: 'mode', mode: flags.mode }, run.worker)) ?? `mode ${flags.mode}`);
  }
  return { taken, same, refused };
}

/** Of the flags that set keys, those whose values the run had. Its slots are told by themselves. */
async function unchangedKeys(
  context: Context,
  run: OpenRun,
  flags: ConfigFlags,
  changed: readonly { key: string }[],
): Promise<string[]> {
  const now = flatten((await configOfRun(context.root, run)).config);
  return [...now].flatMap(([key, value]) => {
    if (key === 'slots' || flagOf(key, flags) === undefined || changed.some((one) => one.key === key)) return [];
    return [`${key} ${showValue(key, value)}`];
  });
}

/** Lists how the configuration file differs from the open run. */
export async function changedFile(context: Context, run: Pick<OpenRun, 'project' | 'runId'>): Promise<string[]> {
  const changes = await configOfRun(context.root, run)
    .then(fileChanges)
    .catch(() => []);
  if (changes.length === 0) return [];
  const live = changes.some(({ counts }) => counts !== 'never');
  const how = live ? 'Apply it to the run: ralphctl config reload' : 'It applies to the next run';
  return [
    `the configuration file has changed since this run read it. ${how}`,
    ...changes.map((change) => `  ${describeChange(change)}`),
  ];
}

/* The configuration of the open run, for commands that only read. Starts nothing. */

/** Undefined without a server: no command could reach a run. */
export async function openRunConfig(context: Context, project: Project): Promise<RunConfig | undefined> {
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  const connected = await connect(context, { start: false, project: project.id }).catch(() => undefined);
  if (!connected) return undefined;
  try {
    const facts = await new RunApi(connected.client, project.id).facts().catch(() => undefined);
    if (!facts?.open || !facts.runId) return undefined;
    return await configOfRun(context.root, { project: project.id, runId: facts.runId }).catch(() => undefined);
  } finally {
    await connected.close();
  }
}
