/**
 * Applies the flags of a `start` that finds an open run, and refuses by name the flags that cannot apply.
 * Invariant: drops no flag silently, and changes nothing that no flag names.
 */
import { reloadRow } from '../../config/reload.js';
import type { OpenRun } from '../commands/steer/interventions.js';
import type { Context, Project } from '../context.js';
import { configFlags, configOfRun, type RunConfig } from '../plan/run-config.js';
import { backlogFile, type StartFlags } from '../plan/run-plan.js';
import { describeChange, fileChanges, reloadFlags } from './reload.js';

export interface FlagsTaken {
  /** One line for each thing that changes. */
  taken: string[];
  /** One sentence for each flag that an open run cannot apply. */
  refused: string[];
}

export async function takeFlags(context: Context, run: OpenRun, flags: StartFlags): Promise<FlagsTaken> {
  const { file } = await configOfRun(context.root, run);
  const refused: string[] = [];
  const taken: string[] = [];
  if (flags.target !== undefined && flags.target !== file.target) {
    const why = reloadRow('target')?.why ?? '';
    refused.push(`--target ${flags.target}: the run lands on ${file.target}; ${why}`);
  }
  if (flags.backlog !== undefined) {
    const named = await backlogFile(context, file.repo, flags.backlog);
    if (named !== file.backlog.file)
      refused.push(
        `${flags.backlog}: the run has the ideas of ${file.backlog.file}; add more with: ralphctl enqueue ${flags.backlog}`,
      );
  }
  for (const id of flags.again ?? [])
    refused.push(`--again ${id}: it applies only to a new run; in this run: ralphctl retry ${id}`);
  const config = configFlags(flags);
  if (Object.keys(config).length > 0) {
    const { changed } = await reloadFlags(context, run, config);
    taken.push(...changed.filter(({ key }) => key !== 'slots').map(describeChange));
  }
  // Also sends a command: an earlier command may have changed the slots.
  if (flags.slots !== undefined) {
    taken.push((await run.api.tell({ verb: 'slots', n: flags.slots }, run.worker)) ?? `${flags.slots} slots`);
  }
  if (flags.mode !== undefined && (await run.api.status())?.mode !== flags.mode) {
    taken.push((await run.api.tell({ verb: 'mode', mode: flags.mode }, run.worker)) ?? `mode ${flags.mode}`);
  }
  return { taken, refused };
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
  const connected = await connect(context, { start: false }).catch(() => undefined);
  if (!connected) return undefined;
  try {
    const facts = await new RunApi(connected.client, project.id).facts().catch(() => undefined);
    if (!facts?.open || !facts.runId) return undefined;
    return await configOfRun(context.root, { project: project.id, runId: facts.runId }).catch(() => undefined);
  } finally {
    await connected.close();
  }
}
