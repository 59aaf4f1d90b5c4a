/**
 * What a `start` that finds an open run says with its flags: what can be applied is applied, the rest is refused by name.
 * Invariant: no flag is dropped silently, and nothing is applied that was not said.
 */
import { reloadRow } from '../../config/reload.js';
import type { OpenRun } from '../commands/interventions.js';
import type { Context } from '../context.js';
import { configFlags, configOfRun } from '../plan/run-config.js';
import { backlogFile, type StartFlags } from '../plan/run-plan.js';
import { describeChange, fileChanges, reloadFlags } from './reload.js';

export interface FlagsTaken {
  /** One line for each thing that changes. */
  taken: string[];
  /** One sentence for each flag that an open run does not take. */
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
    refused.push(`--again ${id}: it counts for the next run; in this one: ralphctl retry ${id}`);
  const config = configFlags(flags);
  if (Object.keys(config).length > 0) {
    const { changed } = await reloadFlags(context, run, config);
    taken.push(...changed.filter(({ key }) => key !== 'slots').map(describeChange));
  }
  // Said by command, too: slots may have been changed by one since.
  if (flags.slots !== undefined) {
    taken.push((await run.api.tell({ verb: 'slots', n: flags.slots }, run.worker)) ?? `${flags.slots} slots`);
  }
  if (flags.mode !== undefined && (await run.api.status())?.mode !== flags.mode) {
    taken.push((await run.api.tell({ verb: 'mode', mode: flags.mode }, run.worker)) ?? `mode ${flags.mode}`);
  }
  return { taken, refused };
}

/** Lines about a configuration file that says something else than the open run has. */
export async function changedFile(context: Context, run: Pick<OpenRun, 'project' | 'runId'>): Promise<string[]> {
  const changes = await configOfRun(context.root, run)
    .then(fileChanges)
    .catch(() => []);
  if (changes.length === 0) return [];
  const live = changes.some(({ counts }) => counts !== 'never');
  const how = live ? 'Bring it into the run with: ralphctl config reload' : 'It counts for the next run';
  return [
    `the configuration file has changed since this run took it. ${how}`,
    ...changes.map((change) => `  ${describeChange(change)}`),
  ];
}
