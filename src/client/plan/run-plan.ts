/**
 * Checks everything that a run needs before it starts: repository, configuration, target, backlog, agents.
 * Invariant: throws before any side effect. A returned plan can start as it is.
 */
import { relative } from 'node:path';
import type { LeftOut } from '../../backlog/formats/format.js';
import { configFolder } from '../../config/load.js';
import { wallDir } from '../../config/paths.js';
import { agentNames, type Config } from '../../config/schema/config.js';
import type { TrackerConfig } from '../../config/schema/tracker.js';
import { refuseBlockedNames } from '../../git/branch-names.js';
import { insideWarnings } from '../../git/confinement/inside-programs.js';
import { refuseBrokenIndex } from '../../git/confinement/kept-index.js';
import type { RemoteRecord } from '../../git/delivery/remote.js';
import { checkoutsBehind } from '../../git/landing/behind.js';
import { refuseHiddenCheckout } from '../../git/landing/hidden-checkout.js';
import { landedIdeas } from '../../git/landing/landed.js';
import { realBranch } from '../../git/real-branch.js';
import { refuseOpenOperations } from '../../git/target-busy.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { RunMode } from '../../protocol/command.js';
import type { Idea } from '../../protocol/idea.js';
import { UserError } from '../../protocol/user-error.js';
import type { WaveSettings } from '../../protocol/waves.js';
import { type Amended, amended } from '../../run-files/amendments.js';
import type { ConfigFlags, Named, RunFile } from '../../run-files/shapes.js';
import { sourceName } from '../../run-files/start-again.js';
import { needNoWork, repositoryPath, tickedTooEarly } from '../../run-files/ticks.js';
import { type Context, findProject, type Project } from '../context.js';
import { type LandedReport, landedReport } from '../open-run/landed-report.js';
import { notCommitted, notCommittedLines } from '../open-run/not-committed.js';
import { checkAgent, usedAgents } from './agents.js';
import { checkKeys } from './payload-keys.js';
import { recordedRemote } from './remote.js';
import { refuseGroups, refuseUnknown, reopen } from './run-again.js';
import { configFlags, configFor, readConfig } from './run-config.js';
import { checkSandbox } from './sandbox.js';
import { checkScripts } from './scripts.js';
import { onceWarning } from './single-attempts.js';
import { readSource, type Source } from './source.js';
import { checkTarget } from './target-there.js';
import { checkPullTitle, readPullTemplate, readTemplate } from './template.js';
import { wantedAgain } from './wanted-again.js';
import { checkWorktreesRoot } from './worktrees-root.js';

export interface StartFlags {
  backlog?: string;
  format?: FormatName;
  agent?: string;
  slots?: number;
  target?: string;
  gate?: string[];
  tick?: boolean;
  maxIterations?: number;
  mode?: RunMode;
  again?: string[];
  /** In place of the configured source. */
  source?: TrackerConfig;
  /** The tracker or its file, as a command names it. */
  named?: string;
  /** Of `ralphctl run`; what is missing comes from the configuration. */
  waves?: { maxWaves?: number; batchSize?: number; confirm?: boolean };
}

export interface RunPlan {
  project: Project;
  /** Path of the configuration file. */
  folder: string;
  config: Config;
  target: string;
  backlog: { file: string; format: FormatName; sha256: string };
  /** Where the ideas come from, if not from a file. */
  tracker?: NonNullable<Source['tracker']>;
  ideas: Idea[];
  /** Entries of the backlog that no run takes. */
  leftOut: LeftOut[];
  tick: boolean;
  /** Landed ideas that run again. */
  again: string[];
  /** The run has waves. */
  waves?: WaveSettings;
  /** The flags that override the configuration file. */
  flags: ConfigFlags;
  /** What the command named. */
  named: Named;
  /** Where the run pushes; undefined: nowhere. */
  remote: RemoteRecord | undefined;
  warnings: string[];
  /** Edits and splits of earlier runs that apply, and ideas whose edits no longer apply. */
  amended: Pick<Amended, 'said' | 'stale' | 'parts'>;
}

/** The ideas that the target of a plan has. */
export const landedOnTarget = ({ project, target, backlog }: RunPlan): Promise<string[]> =>
  landedIdeas(project.repository.root, target, repositoryPath(project.repository.root, backlog.file));

export interface Checks {
  /** False skips the check that agents can run, for commands that only read. */
  agents: boolean;
  /** Collects refusals that leave a plan to show; without it, the first one is thrown. */
  refused?: UserError[];
}

export async function planRun(
  context: Context,
  given: StartFlags,
  { agents, refused }: Checks = { agents: true },
): Promise<RunPlan> {
  const check = (one: Promise<void>): Promise<void> =>
    one.catch((error: unknown) => {
      if (!refused || !(error instanceof UserError)) throw error;
      refused.push(error);
    });
  const project = await findProject(context);
  const { root } = project.repository;
  // In a monorepo, the configuration and the backlog of the current folder count.
  const folder = await configFolder(context.cwd, root);
  const read = await readConfig(folder);
  if (given.source) read.config.backlog = given.source;
  const wanted = given.target ?? read.config.target ?? project.repository.branch;
  if (!wanted) {
    throw new UserError(`no branch is checked out in ${root} (detached HEAD); name the target: --target main`);
  }
  const target = await realBranch(root, wanted);
  await checkTarget(context.root, project.id, root, target);
  await refuseHiddenCheckout(root, target);
  await refuseOpenOperations(root, target);
  await refuseBrokenIndex(root, wallDir(context.root, project.id));
  await refuseBlockedNames(root);
  const source = await readSource(context, { project: project.id, root, folder }, read.config, given);
  const { file, format, sha256, ideas: written, leftOut, tracker } = source;
  const config = configFor(read, given, { format, waves: given.waves !== undefined });
  if (agents) await check(checkKeys({ env: context.env, root: context.root, project: project.id }, config));
  if (agents) await check(checkSandbox(context.env, config));
  // A tracker lists what is open: nothing may be left of it.
  if (written.length === 0 && !tracker) throw new UserError(`${relative(context.cwd, file) || file} contains no ideas`);
  const place = { repo: root, target, backlog: { file, format, sha256 } };
  const queued = await wantedAgain({ root: context.root, project: project.id }, place, written);
  const again = [...new Set([...(given.again ?? []), ...queued])];
  reopen(written, again);
  const landed = async () =>
    new Set((await landedIdeas(root, target, repositoryPath(root, file))).filter((id) => !again.includes(id)));
  const { ideas, ...beside } = await amended(context.root, project.id, written, landed, again);
  refuseGroups(ideas, given.again ?? []);
  refuseUnknown(written, beside.parts, again);
  const used = [...usedAgents(config, ideas, given.waves !== undefined && ideas.length > 0)];
  for (const one of used) await check(checkAgent(context, config, one, root, agents));
  // A tracker has no file to tick.
  const tick = !tracker && (given.tick ?? true);
  let remote: RemoteRecord | undefined;
  await check(
    recordedRemote(root, target, config).then((found) => {
      remote = found;
    }),
  );
  const warnings: string[] = [];
  if (config.worktrees.root !== undefined) {
    const asked = config.worktrees.root;
    await check(
      checkWorktreesRoot(project.repository, asked).then(({ path, warning }) => {
        config.worktrees.root = path;
        if (warning) warnings.push(warning);
      }),
    );
  }
  if (config.gate.commands.length === 0) {
    warnings.push(
      'no gate is configured, so only the agent says that work is done. Add one: --gate "npm test", or gate: in ralphctl.yaml',
    );
  }
  const behind = await checkoutsBehind(root, target);
  const once = await onceWarning({ root: context.root, project: project.id, format }, ideas, again, landed);
  warnings.push(...leftOutWarning(leftOut), ...once, ...behind);
  warnings.push(...(await insideWarnings(root, config.commit.hooks)));
  if (tick && config.landing.tick) {
    const backlog = { root, target, file, format };
    warnings.push(...notCommittedLines(backlog, await notCommitted(backlog, written)));
  }
  warnings.push(...(await tickWarnings(ideas, again, landed)));
  if (config.prompt.template) await check(readTemplate(root, config.prompt.template));
  const { mode, pr } = config.landing;
  if (mode === 'pr' && pr.title) await check(checkPullTitle(pr.title));
  if (mode === 'pr' && pr.template) await check(readPullTemplate(root, pr.template));
  const known = new Set(agentNames(config));
  const named = used.flatMap(([name]) => (agents && known.has(name) ? name : []));
  for (const name of named) await check(checkScripts(context, config, [name], { root, target }));
  return {
    ...{ project, folder, config, target, ideas, leftOut, tick, again, remote, warnings },
    backlog: { file, format, sha256 },
    ...(tracker ? { tracker } : {}),
    ...(given.waves ? { waves: wavesOf(config, given.waves) } : {}),
    flags: configFlags(given),
    named: namedBy(given, sourceName(root, file)),
    amended: beside,
  };
}

function namedBy({ backlog, format, target, named, waves }: StartFlags, file: string): Named {
  const source = named ?? (backlog === undefined ? undefined : file);
  return {
    ...(source === undefined ? {} : { source }),
    ...(named === undefined ? {} : { tracker: true }),
    ...(format === undefined ? {} : { format }),
    ...(target === undefined ? {} : { target }),
    ...waves,
  };
}

function wavesOf({ waves }: Config, said: NonNullable<StartFlags['waves']>): WaveSettings {
  const { maxWaves = waves.maxWaves, batchSize = waves.batchSize, confirm = waves.confirm } = said;
  return { maxWaves, batchSize, ...(confirm ? { confirm } : {}) };
}

export const reportOf = ({
  project,
  target,
  backlog,
  ideas,
  tick,
  config,
  again,
  amended: { parts },
}: RunPlan): Promise<LandedReport> =>
  landedReport({
    ...{ root: project.repository.root, target, file: backlog.file, format: backlog.format, ideas, again, parts },
    ticks: tick && config.landing.tick,
  });

/** Ideas that a warning names. */
const MOST_NAMED = 5;

export const LISTED = 'ralphctl backlog tells why';

function leftOutWarning(leftOut: readonly LeftOut[]): string[] {
  const open = leftOut.filter(({ over }) => !over);
  if (open.length === 0) return [];
  const many = open.length === 1 ? '1 entry of the backlog is' : `${open.length} entries of the backlog are`;
  return [`${many} left out: ${someOf(open.map(({ id }) => id))}. ${LISTED}`];
}

const someOf = (ids: readonly string[]): string =>
  `${ids.slice(0, MOST_NAMED).join(', ')}${ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ''}`;

/** Finds ticked Blues with open ideas. It reads the target only when that decides. */
async function tickWarnings(
  ideas: readonly Idea[],
  again: readonly string[],
  landed: () => Promise<ReadonlySet<string>>,
): Promise<string[]> {
  const ticked = new Set(needNoWork(ideas, new Set(), again));
  if (tickedTooEarly(ideas, ticked).length === 0) return [];
  const early = tickedTooEarly(ideas, new Set(needNoWork(ideas, await landed(), again)));
  return early
    .slice(0, MOST_NAMED)
    .map(
      ({ blue, open }) =>
        `the epic ${blue} is ticked, but ${someOf(open)} in it ${open.length === 1 ? 'is' : 'are'} open: ${blue} has not landed, and what depends on it waits. Tick what is done, or take the tick of ${blue} away`,
    );
}

const trackerRecord = ({ where, config: { repository } }: NonNullable<Source['tracker']>) => ({
  from: where,
  ...(repository === undefined ? {} : { repository }),
});

export function runFile(plan: RunPlan, runId: string): RunFile {
  return {
    version: 1,
    project: plan.project.id,
    runId,
    repo: plan.project.repository.root,
    folder: plan.folder,
    target: plan.target,
    config: plan.config,
    backlog: { ...plan.backlog, ...(plan.tracker ? trackerRecord(plan.tracker) : {}) },
    tick: plan.tick,
    again: plan.again.length > 0 ? plan.again : undefined,
    createdAt: new Date().toISOString(),
    remote: plan.remote,
    flags: Object.keys(plan.flags).length > 0 ? plan.flags : undefined,
    waves: plan.waves,
    named: Object.keys(plan.named).length > 0 ? plan.named : undefined,
  };
}

/**
 * Sorts by time, and after `newest`, the last existing id, even when the clock was set back. Random enough that two
 * starts in one second differ.
 */
export function newRunId(newest?: string, now = new Date()): string {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(newest ?? '') ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const after = parts.length > 0 ? Date.UTC(year, month - 1, day, hour, minute, second) + 1000 : 0;
  const at = new Date(Math.max(now.getTime(), after));
  const stamp = at.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}
