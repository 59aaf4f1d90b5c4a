/** What `ralphctl run` adds to a start: its source, and how it meets an open run. */
import { resolve } from 'node:path';
import { readBacklog } from '../../backlog/index.js';
import { readReports } from '../../backlog/reports/jsonl.js';
import { configFolder } from '../../config/load.js';
import { type TrackerConfig, tracker, trackerOf } from '../../config/schema/tracker.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import type { WaveSettings } from '../../protocol/waves.js';
import { loadRun } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { namedOf, sourceName } from '../../run-files/start-again.js';
import { forgetSource, keepSource } from '../../run-files/triage.js';
import { type Context, findProject } from '../context.js';
import { many } from '../views/live-lines.js';
import { readConfig } from './run-config.js';
import { planRun, type RunPlan, type StartFlags } from './run-plan.js';
import { backlogFile } from './source.js';

/** The named source: `github`, `gitlab`, a file of reports, or a backlog. Without a name, the configured one counts. */
export async function sourceFlags(
  context: Context,
  named: string | undefined,
): Promise<Pick<StartFlags, 'source' | 'backlog' | 'named'>> {
  if (named === undefined) return {};
  const { repository } = await findProject(context);
  const { root } = repository;
  if (named === 'github' || named === 'gitlab') {
    const configured = trackerOf((await readConfig(await configFolder(context.cwd, root))).config);
    const source = configured?.tracker === named ? undefined : tracker.parse({ tracker: named });
    return { ...(source ? { source } : {}), named };
  }
  const file = await backlogFile(context, root, named);
  if (!/\.(?:jsonl|ndjson)$/i.test(file)) return { backlog: named };
  // Other tools keep their backlogs in such files, too.
  const isBacklog = await readBacklog(file).then(
    () => true,
    () => false,
  );
  if (isBacklog) return { backlog: named };
  await readReports(file, 'ralphctl run <source>');
  const inside = sourceName(root, file);
  return { source: tracker.parse({ tracker: 'jsonl', file: inside }), named: inside };
}

/** The plan of the next start, which reads what the last run read. Only for reading. */
export const planAgain = async (context: Context, last: RunFile | undefined): Promise<RunPlan> =>
  planRun(context, last ? await flagsAgain(context, last) : {}, { agents: false });

async function flagsAgain(context: Context, file: RunFile): Promise<StartFlags> {
  const { source, format, target } = namedOf(file);
  return {
    ...(file.waves ? { ...(await sourceFlags(context, source)), waves: {} } : source ? { backlog: source } : {}),
    ...(format === undefined ? {} : { format }),
    ...(target === undefined ? {} : { target }),
  };
}

/** `ralphctl triage` reads the same source afterwards. */
export async function rememberReports(root: string, { project, tracker: from }: RunPlan): Promise<void> {
  const file = reportsFile(from?.config);
  if (file !== undefined) await keepSource(root, project.id, resolve(project.repository.root, file));
  else if (from !== undefined) await forgetSource(root, project.id);
}

const reportsFile = (config: TrackerConfig | undefined): string | undefined =>
  config?.tracker === 'jsonl' ? config.file : undefined;

/** @throws UserError where the open run has no waves */
export async function refusePlain(root: string, project: string, runId: string): Promise<void> {
  const { file } = await loadRun(root, { project, runId });
  if (file.waves) return;
  throw new UserError(
    `run ${runId} is open and has no waves. Follow it with: ralphctl start; or end it first: ralphctl stop`,
    EXIT.refused,
  );
}

export const wavesText = ({ maxWaves, batchSize }: WaveSettings, open: number): string =>
  `${many(open, 'open entry')}, up to ${many(maxWaves, 'wave')} of ${batchSize}`.replace('entrys', 'entries');
