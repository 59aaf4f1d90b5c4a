/** Checks the repository, and the configuration, backlog, target and gate of a run in it. */
import { relative } from 'node:path';
import { findBacklog, readBacklog } from '../../backlog/index.js';
import type { AgentSpec } from '../../config/agent-spec.js';
import { configFolder, loadConfig } from '../../config/load.js';
import { projectDir, wallDir } from '../../config/paths.js';
import { type Config, resolveAgent } from '../../config/schema/config.js';
import { sandboxOf } from '../../config/schema/sandbox.js';
import { backlogFileOf, trackerOf } from '../../config/schema/tracker.js';
import { refuseBlockedNames } from '../../git/branch-names.js';
import { identityEnv } from '../../git/commits.js';
import { insidePrograms, insideText } from '../../git/confinement/inside-programs.js';
import { refuseBrokenIndex } from '../../git/confinement/kept-index.js';
import { allBehind } from '../../git/landing/behind.js';
import { refuseHiddenCheckout } from '../../git/landing/hidden-checkout.js';
import { realBranch } from '../../git/real-branch.js';
import { type Repository, sharedGitDir, targetTip } from '../../git/repository.js';
import { refuseOpenOperations } from '../../git/target-busy.js';
import { canonical, isUnder, listWorktrees } from '../../git/worktrees/list.js';
import { hasCommit, ownCopy, readSubmodules } from '../../git/worktrees/submodules.js';
import type { Idea } from '../../protocol/idea.js';
import { many } from '../../protocol/many.js';
import { type Context, findProject, type Project } from '../context.js';
import { landedReport, reportLines } from '../open-run/landed-report.js';
import { checkWorktreesRoot } from '../plan/worktrees-root.js';
import { checkAlerts } from './alerts.js';
import { type Check, fail, info, ok, problem, warn } from './check.js';
import { checkGate } from './gate-command.js';
import { checkPayloadKeys } from './payload-keys.js';
import { problemsOf } from './problems.js';
import { checkRemote } from './remote.js';
import { checkRuns } from './runs.js';
import { checkTracker } from './tracker.js';

export interface ProjectFindings {
  checks: Check[];
  /** Findings about the gate without running it. */
  gate: Check[];
  /** Absent where no run could land on it. */
  target?: string;
  project?: Project;
  config?: Config;
  /** Agents that a run would start. */
  agents: AgentSpec[];
}

export async function checkProject(context: Context): Promise<ProjectFindings> {
  const checks: Check[] = [];
  const agents: AgentSpec[] = [];
  let project: Project;
  try {
    project = await findProject(context);
  } catch (error) {
    return {
      checks: [problem('repository', error, 'run doctor inside a git repository, or name one: -C <folder>')],
      gate: [],
      agents,
    };
  }
  const { root, branch } = project.repository;
  checks.push(ok('repository', root), ...(await checkIdentity(root)), ...(await checkRuns(context.root, project.id)));
  let config: Config;
  let folder: string;
  let hasFile: boolean;
  try {
    folder = await configFolder(context.cwd, root);
    const loaded = await loadConfig(folder);
    config = loaded.config;
    hasFile = loaded.file !== undefined;
    checks.push(
      loaded.file
        ? ok('configuration', loaded.file)
        : warn('configuration', 'none; a run uses the defaults', 'ralphctl init'),
    );
  } catch (error) {
    return { checks: [...checks, ...problemsOf('configuration', error, 'change it there')], gate: [], project, agents };
  }
  const wanted = config.target ?? branch;
  // Where it leads to no branch, the check of it says so.
  const target = wanted && (await realBranch(root, wanted).catch(() => wanted));
  const aboutTarget = await checkTarget(root, target);
  checks.push(aboutTarget, ...(await checkIndexes(project.repository.root, context.root, project.id)));
  if (config.worktrees.root !== undefined) checks.push(await checkRoot(project.repository, config.worktrees.root));
  const names = new Set([config.agent, ...config.fallback]);
  const tracker = trackerOf(config);
  checks.push(
    ...(tracker ? await checkTracker(context, root, tracker) : [await checkBacklog(context, folder, config, names)]),
  );
  checks.push(...(await checkAlerts(context, root, config.notify.rows)));
  checks.push(
    ...(await checkPayloadKeys(
      { env: context.env, root: context.root, project: project.id },
      config.payloads.encryption.keys,
    )),
  );
  checks.push(...(await checkLanded({ root, folder }, config, target)));
  for (const name of names) {
    try {
      const spec = resolveAgent(config, name);
      agents.push({ ...spec, sandboxed: spec.sandboxed || sandboxOf(config).mode !== 'off' });
    } catch (error) {
      checks.push(problem(`agent ${name}`, error, 'fix the name'));
    }
  }
  const gate = await checkGate(context, root, config, { folder, exists: hasFile });
  const usable = target !== undefined && aboutTarget.state !== 'fail';
  if (usable)
    checks.push(...(await checkSubmodules(root, target)), ...(await checkRemote(context, root, config, target)));
  checks.push(...(await checkInsidePrograms(root, config)));
  return { checks, gate, project, config, agents, target: usable ? target : undefined };
}

async function checkInsidePrograms(root: string, config: Config): Promise<Check[]> {
  try {
    const found = await insidePrograms(root, config.commit.hooks);
    return found.map((one) => {
      const { found: text, fix } = insideText(one, root);
      return warn('git settings', text, fix);
    });
  } catch (error) {
    return [problem('git settings', error, 'repair the repository, then: ralphctl doctor')];
  }
}

/** Nothing where git knows who commits. Without that, ralphctl still commits. */
export async function checkIdentity(root: string): Promise<Check[]> {
  const missing = Object.entries(await identityEnv(root).catch(() => ({})));
  if (missing.length === 0) return [];
  const parts = [...new Set(missing.map(([name]) => (name.endsWith('_NAME') ? 'user.name' : 'user.email')))];
  return [
    info(
      'git identity',
      `git has no ${parts.join(' and no ')}, so ralphctl commits as ralphctl <ralphctl@localhost>. Set yours: git config --global ${parts[0]} …`,
    ),
  ];
}

async function checkTarget(root: string, target: string | undefined): Promise<Check> {
  if (!target)
    return fail('target', 'no branch is checked out', 'git switch <branch>, or set target: in ralphctl.yaml');
  try {
    await realBranch(root, target);
    await targetTip(root, target);
    await refuseHiddenCheckout(root, target);
    await refuseOpenOperations(root, target);
    await refuseBlockedNames(root);
    const behind = await allBehind(root, target);
    return behind.length > 0
      ? warn('target', `${target}; ${behind.join('; ')}`, 'ralphctl sync')
      : ok('target', target);
  } catch (error) {
    return problem('target', error, 'set target: in ralphctl.yaml');
  }
}

/** Nothing where git can read all of them. Those of ralphctl's own worktrees are mended when they are used. */
async function checkIndexes(root: string, state: string, project: string): Promise<Check[]> {
  const own = await canonical(projectDir(state, project));
  const trees = await listWorktrees(root).catch(() => []);
  const users = trees.filter(({ path, branch = '' }) => !isUnder(path, own) && !branch.startsWith('ralph/'));
  const places = [root, ...users.map(({ path }) => path)];
  const found = await Promise.all(
    [...new Set(places)].map((path) =>
      refuseBrokenIndex(path, wallDir(state, project)).then(
        () => undefined,
        (error: unknown) => problem('index', error, 'see git -C DIR status'),
      ),
    ),
  );
  return found.filter((check) => check !== undefined);
}

async function checkRoot(repository: Repository, root: string): Promise<Check> {
  try {
    const { path, warning } = await checkWorktreesRoot(repository, root);
    return warning ? warn('worktrees', warning, 'add it to .gitignore') : ok('worktrees', path);
  } catch (error) {
    return problem('worktrees', error, 'set worktrees.root: in ralphctl.yaml');
  }
}

/** `14 of 14 ideas to do; 1 epic`: no view counts an epic as an idea. */
export function backlogWords(ideas: readonly Pick<Idea, 'done' | 'blue'>[]): string {
  const own = ideas.filter(({ blue }) => !blue);
  const epics = ideas.length - own.length;
  const todo = own.filter(({ done }) => !done).length;
  return `${todo} of ${many(own.length, 'idea')} to do${epics > 0 ? `; ${many(epics, 'epic')}` : ''}`;
}

/** Adds the agents that ideas name. */
async function checkBacklog(context: Context, folder: string, config: Config, names: Set<string>): Promise<Check> {
  try {
    const file = await findBacklog(folder, backlogFileOf(config));
    const { ideas } = await readBacklog(file, { format: config.backlogFormat });
    const todo = ideas.filter((idea) => !idea.done && !idea.blue);
    for (const { agent } of todo) if (agent !== undefined) names.add(agent);
    return ok('backlog', `${relative(context.cwd, file) || file}: ${backlogWords(ideas)}`);
  } catch (error) {
    return problem('backlog', error, 'write roadmap.md, e.g.: - [ ] **task-001**: what to do');
  }
}

/** Landed ideas that were taken back, or are in the backlog again. Other checks report problems of target and backlog. */
async function checkLanded(
  { root, folder }: { root: string; folder: string },
  config: Config,
  target: string | undefined,
): Promise<Check[]> {
  if (target === undefined || trackerOf(config)) return [];
  try {
    const file = await findBacklog(folder, backlogFileOf(config));
    const { ideas } = await readBacklog(file, { format: config.backlogFormat });
    const report = await landedReport({ root, target, file, ideas, ticks: config.landing.tick });
    return reportLines(report, target).map((line) => {
      const [found = '', fix = 'ralphctl start'] = line.split(/\. (?:Run it again|See it) with: /);
      return warn('landed', found, fix);
    });
  } catch {
    return [];
  }
}

/* Checks whether worktrees get the target's submodules from the checkout or must fetch them. */

/** None where the target has no submodules. */
export async function checkSubmodules(root: string, target: string): Promise<Check[]> {
  const all = (await readSubmodules(root, `refs/heads/${target}`)).filter(({ off }) => !off);
  if (all.length === 0) return [];
  const commonDir = await sharedGitDir(root);
  const missing: string[] = [];
  for (const { name, path, commit } of all)
    if (!(await hasCommit(ownCopy(commonDir, name), commit))) missing.push(path);
  if (missing.length === 0) {
    const paths = all.map(({ path }) => path).join(', ');
    return [ok('submodules', `${paths}: set up in each worktree from your checkout`)];
  }
  const found = `${missing.join(', ')}: your checkout lacks the commit that ${target} names, so each worktree fetches it from its origin`;
  return [warn('submodules', found, `git submodule update --init ${missing.map((path) => `'${path}'`).join(' ')}`)];
}
