/**
 * Checks everything that a run needs before it starts: repository, configuration, target, backlog, agents.
 * Invariant: throws before any side effect. A returned plan can start as it is.
 */
import { access } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { adapterFor } from '../../agents/registry.js';
import type { LeftOut } from '../../backlog/formats/format.js';
import { findBacklog, readBacklog } from '../../backlog/index.js';
import { configFolder } from '../../config/load.js';
import { nearest } from '../../config/problems.js';
import { MIB, readInput } from '../../config/read-input.js';
import { agentNames, type Config, resolveAgent } from '../../config/schema/config.js';
import { refuseBlockedNames } from '../../git/branch-names.js';
import { insideWarnings } from '../../git/confinement/inside-programs.js';
import { checkoutBehind } from '../../git/landing/checkout.js';
import { landedIdeas } from '../../git/landing/landed.js';
import { refuseOpenOperations, targetTip } from '../../git/repository.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { RunMode } from '../../protocol/command.js';
import type { Idea } from '../../protocol/idea.js';
import { UserError } from '../../protocol/user-error.js';
import { type Amended, amended } from '../../run-files/amendments.js';
import type { ConfigFlags, RunFile } from '../../run-files/shapes.js';
import { needNoWork, tickedTooEarly } from '../../run-files/ticks.js';
import { isExecutable, which } from '../../server/install/probe.js';
import { type Context, findProject, type Project } from '../context.js';
import { type LandedReport, landedReport } from '../open-run/landed-report.js';
import { notCommitted, notCommittedLines } from '../open-run/not-committed.js';
import { assertTemporaryFolder } from '../state-folder.js';
import { configFlags, configFor, readConfig } from './run-config.js';
import { checkScripts } from './scripts.js';
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
}

export interface RunPlan {
  project: Project;
  /** Path of the configuration file. */
  folder: string;
  config: Config;
  target: string;
  backlog: { file: string; format: FormatName; sha256: string };
  ideas: Idea[];
  /** Entries of the backlog that no run takes. */
  leftOut: LeftOut[];
  tick: boolean;
  /** Landed ideas that run again. */
  again: string[];
  /** The flags that override the configuration file. */
  flags: ConfigFlags;
  warnings: string[];
  /** Edits and splits of earlier runs that apply, and ideas whose edits no longer apply. */
  amended: Pick<Amended, 'said' | 'stale'>;
}

/** `agents: false` skips the check that agents can run, for commands that only read. */
export async function planRun(context: Context, flags: StartFlags, { agents } = { agents: true }): Promise<RunPlan> {
  const project = await findProject(context);
  const { root } = project.repository;
  // In a monorepo, the configuration and the backlog of the current folder count.
  const folder = await configFolder(context.cwd, root);
  const read = await readConfig(folder);
  const target = flags.target ?? read.config.target ?? project.repository.branch;
  if (!target) {
    throw new UserError(`no branch is checked out in ${root} (detached HEAD); name the target: --target main`);
  }
  await targetTip(root, target);
  await refuseOpenOperations(root, target);
  await refuseBlockedNames(root);
  const file =
    flags.backlog === undefined
      ? await findBacklog(folder, read.config.backlog)
      : await backlogFile(context, root, flags.backlog);
  const {
    format,
    sha256,
    ideas: written,
    leftOut,
  } = await readBacklog(file, { format: flags.format ?? read.config.backlogFormat });
  const config = configFor(read, flags, format);
  if (written.length === 0) throw new UserError(`${relative(context.cwd, file) || file} contains no ideas`);
  const again = [...new Set(flags.again)];
  runAgain(written, again);
  const landed = async () => new Set((await landedIdeas(root, target)).filter((id) => !again.includes(id)));
  const { ideas, ...beside } = await amended(context.root, project.id, written, landed);
  await checkAgents(context, config, ideas, root, agents);
  await assertTemporaryFolder(context.env);
  const tick = flags.tick ?? true;
  const warnings: string[] = [];
  if (config.worktrees.root !== undefined) {
    const { path, warning } = await checkWorktreesRoot(project.repository, config.worktrees.root);
    config.worktrees.root = path;
    if (warning) warnings.push(warning);
  }
  if (config.gate.commands.length === 0) {
    warnings.push(
      'no gate is configured, so only the agent says that work is done. Add one: --gate "npm test", or gate: in ralphctl.yaml',
    );
  }
  warnings.push(...leftOutWarning(leftOut), ...(await otherWarnings(ideas, root, target)));
  warnings.push(...(await insideWarnings(root, config.commit.hooks)));
  if (tick && config.landing.tick) {
    const backlog = { root, target, file, format };
    warnings.push(...notCommittedLines(backlog, await notCommitted(backlog, written)));
  }
  warnings.push(...(await tickWarnings(ideas, again, landed)));
  if (config.prompt.template) await readTemplate(root, config.prompt.template);
  if (agents) await checkScripts(context, config, [...usedAgents(config, ideas).keys()], { root, target });
  return {
    ...{ project, folder, config, target, ideas, leftOut, tick, again, warnings },
    backlog: { file, format, sha256 },
    flags: configFlags(flags),
    amended: beside,
  };
}

/** An idea that landed or is ticked counts as open when a person wants it again. */
function runAgain(ideas: readonly Idea[], again: readonly string[]): void {
  for (const id of again) {
    const idea = ideas.find((one) => one.id === id && !one.blue);
    const close = nearest(
      id,
      ideas.map((one) => one.id),
    );
    if (!idea)
      throw new UserError(`--again ${id}: the backlog has no such idea${close ? `. Did you mean ${close}?` : ''}`);
    idea.done = false;
  }
}

export const reportOf = ({ project, target, backlog, ideas, tick, config, again }: RunPlan): Promise<LandedReport> =>
  landedReport({
    ...{ root: project.repository.root, target, file: backlog.file, format: backlog.format, ideas, again },
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

async function otherWarnings(ideas: readonly Idea[], root: string, target: string): Promise<string[]> {
  const warnings: string[] = [];
  const todo = ideas.filter((idea) => !idea.done && !idea.blue);
  const once = todo.filter((idea) => !idea.ralph).map(({ id }) => id);
  if (once.length > 0) {
    warnings.push(
      `${once.length} of ${todo.length} ideas get a single attempt, because they lack "ralph: true": ${someOf(once)}`,
    );
  }
  const behind = await checkoutBehind(root, target);
  if (behind) warnings.push(behind);
  return warnings;
}

export async function backlogFile(context: Context, root: string, named: string): Promise<string> {
  if (isAbsolute(named)) return named;
  const here = resolve(context.cwd, named);
  const exists = await access(here).then(
    () => true,
    () => false,
  );
  return exists ? here : resolve(root, named);
}

const readPromptTemplate = (root: string, path: string): Promise<Buffer> =>
  readInput(resolve(root, path), MIB).catch((error: Error) => {
    throw new UserError(`ralphctl cannot read ${path} in ${root}, which prompt.template names: ${error.message}`);
  });

async function readTemplate(root: string, path: string): Promise<void> {
  const { buildPrompt, newNonce } = await import('../../agents/prompt/prompt.js');
  const text = (await readPromptTemplate(root, path)).toString('utf8');
  // A dry build finds unknown placeholders before the run starts.
  const idea = { id: 'check', title: 'check', text: 'check', success: [] };
  buildPrompt({ idea, iteration: 1, maxIterations: 1, nonce: newNonce(), notes: [], template: text });
}

/** The agents of a run, each with an idea that names it. */
function usedAgents(config: Config, ideas: readonly Idea[]): Map<string, Idea | undefined> {
  const usedBy = new Map<string, Idea | undefined>([[config.agent, undefined]]);
  for (const idea of ideas) if (idea.agent && !idea.done) usedBy.set(idea.agent, idea);
  if (ideas.every((idea) => idea.agent || idea.done || idea.blue)) usedBy.delete(config.agent);
  // A fallback must exist before the run needs it.
  for (const name of config.fallback) usedBy.set(name, undefined);
  return usedBy;
}

/** Every agent that some idea names must be known and, with `programs`, its program must be there. */
export async function checkAgents(
  context: Context,
  config: Config,
  ideas: readonly Idea[],
  root: string,
  programs: boolean,
): Promise<void> {
  const usedBy = usedAgents(config, ideas);
  const known = agentNames(config);
  for (const [name, idea] of usedBy) {
    if (!known.includes(name)) {
      const where = idea ? ` (${relative(root, idea.source.file)}:${idea.source.line})` : '';
      const close = nearest(name, known);
      throw new UserError(
        `unknown agent "${name}"${where}. Known agents: ${known.join(', ')}${close ? `. Did you mean ${close}?` : ''}`,
      );
    }
    if (!programs) continue;
    const spec = resolveAgent(config, name);
    const { argv } = adapterFor(spec).invocation(spec, {
      prompt: '',
      cwd: root,
      nonce: 'check',
      idea: 'check',
      iteration: 1,
      scratch: root,
      sessionId: '',
    });
    const program = argv[0] ?? '';
    if (isAbsolute(program) && !(await isExecutable(program))) {
      throw new UserError(
        `the program ${program} of agent ${name} does not exist or is not executable (chmod +x). Fix agents.${name}.command in ralphctl.yaml, or choose another agent: --agent NAME`,
      );
    }
    if (program.includes('/')) continue;
    if ((await which(program, context.env)) === undefined) {
      throw new UserError(
        `the program "${program}" of agent ${name} is not on PATH. Install it, set agents.${name}.command in ralphctl.yaml, or choose another agent: --agent NAME`,
      );
    }
  }
}

export function runFile(plan: RunPlan, runId: string): RunFile {
  return {
    version: 1,
    project: plan.project.id,
    runId,
    repo: plan.project.repository.root,
    folder: plan.folder,
    target: plan.target,
    config: plan.config,
    backlog: plan.backlog,
    tick: plan.tick,
    again: plan.again.length > 0 ? plan.again : undefined,
    createdAt: new Date().toISOString(),
    flags: Object.keys(plan.flags).length > 0 ? plan.flags : undefined,
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
