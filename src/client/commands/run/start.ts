/** `ralphctl start`: plans, starts server and worker, starts a run or attaches to the open one, and follows it. */

import { rm, stat } from 'node:fs/promises';
import { closedLockDir, runDir } from '../../../config/paths.js';
import { checkoutsBehind } from '../../../git/landing/behind.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { forget } from '../../../run-files/amendments.js';
import { listRuns, writeRun } from '../../../run-files/run.js';
import { settingsOf, trackerSettings, waveSettings } from '../../../run-files/settings.js';
import { startAgainOf } from '../../../run-files/start-again.js';
import type { Connected } from '../../api/connection.js';
import type { RunApi } from '../../api/run.js';
import { webPage } from '../../api/web-page.js';
import { type Context, findProject, printJson, say } from '../../context.js';
import { attach } from '../../follow/attach.js';
import { carriedLines, leftBehind } from '../../follow/left-behind.js';
import type { Attachment } from '../../open-run/attachment.js';
import { showPlan } from '../../open-run/dry-run.js';
import { attachedLines, reportLines } from '../../open-run/landed-report.js';
import { lastRunText } from '../../open-run/last-run.js';
import { reusedIdLines } from '../../open-run/reused-ids.js';
import { sayStanding } from '../../open-run/standing.js';
import { type Ahead, lookAhead, type NothingToStart, sayNothingToStart } from '../../plan/nothing-to-start.js';
import { remoteLine } from '../../plan/remote.js';
import {
  landedOnTarget,
  newRunId,
  planRun,
  type RunPlan,
  reportOf,
  runFile,
  type StartFlags,
} from '../../plan/run-plan.js';
import { sandboxText } from '../../plan/sandbox.js';
import { trackerLine } from '../../plan/source.js';
import { refusePlain, rememberReports, wavesText } from '../../plan/waves.js';
import { ensureStateFolder } from '../../state-folder.js';
import { many } from '../../views/live-lines.js';
import { canShowScreen } from '../../views/terminal.js';
import { ensureWorker } from '../../worker-process.js';
import type { OpenRun } from '../steer/interventions.js';

export interface StartOptions extends StartFlags {
  dryRun?: boolean;
  detach?: boolean;
  wait?: boolean;
  worker?: boolean;
  /** Lines, also where the terminal can show the full screen. */
  plain?: boolean;
}

export async function start(context: Context, options: StartOptions): Promise<number> {
  // The client takes a quarter of a second to load; git answers meanwhile.
  const loading = options.dryRun ? undefined : loadApi();
  loading?.catch(() => undefined);
  if (!loading || options.dryRun) return showPlan(context, options);
  await whenProjectFree(context);
  const planned = await planRun(context, options).catch((error: unknown) => error as Error);
  // Attaching to an open run must work after the backlog has moved or the configuration broke.
  if (planned instanceof Error) return comeBack(context, options, await loading, planned);
  let plan = planned;
  await ensureStateFolder(context);
  for (const warning of plan.warnings) say(`warning: ${warning}`);
  const { connect, RunApi, Attachment } = await loading;
  const [connected, ahead] = await Promise.all([
    connect(context, { start: true, project: plan.project.id }),
    lookAhead(context, plan),
    // Also with nothing to start: alerts and comments of the last run may wait for a worker.
    options.worker === false ? undefined : ensureWorker(context, plan.project.id, say),
  ]);
  let attachment: Attachment | undefined;
  try {
    const api = new RunApi(connected.client, plan.project.id);
    if (ahead.idle && !(await api.facts())?.open) return await endIdle(context, plan, ahead.idle);
    const begun = await startOrAttach(context, api, { plan, ahead }, options);
    if ('idle' in begun) return await endIdle(context, begun.plan, begun.idle);
    const { runId, attached } = begun;
    plan = begun.plan;
    // Ideas that landed in earlier runs do not count as work of this one.
    const landed = new Set(context.json ? [] : await landedOnTarget(plan));
    for (const id of plan.again) landed.delete(id);
    if (!context.json) await sayLanded(context, plan, attached);
    if (!attached) await sayLast(context, plan, runId);
    if (!attached) await sayRemote(context, plan);
    if (!attached) await sayAmended(context, plan, runId, landed);
    const taken = attached
      ? await onOpenRun(context, { api, project: plan.project.id, runId, worker: true }, options)
      : [];
    announce(context, connected, plan, { runId, attached, todo: begun.ahead.todo, taken });
    if (attached) await sayStanding(api, context.json, { root: context.root, project: plan.project.id });
    if (options.detach) return EXIT.ok;
    attachment = new Attachment(context, connected, {
      project: plan.project.id,
      runId,
      worker: options.worker !== false,
    });
    const code = await attach(context, attachment, runId, { ...showing(context, options), again: attached });
    const behind = context.json ? [] : await checkoutsBehind(plan.project.repository.root, plan.target);
    for (const one of behind) say(`warning: ${one}`);
    return code;
  } finally {
    await (attachment ?? connected).close();
  }
}

async function sayLast(context: Context, { project }: RunPlan, runId: string): Promise<void> {
  const text = context.json ? undefined : await lastRunText(context.root, { project: project.id, runId });
  if (text !== undefined) say(text);
}

/** Says in one line what the run does to the remote. */
async function sayRemote(context: Context, { project, target, remote, config }: RunPlan): Promise<void> {
  const line = context.json
    ? undefined
    : await remoteLine(project.repository.root, target, remote, config.landing.mode, {
        ...config.landing.pr,
        stack: config.landing.stack,
      });
  if (line !== undefined) say(line);
}

/** Prints the edits, splits and hints of earlier runs that apply to this run, and those that no longer do. */
async function sayAmended(context: Context, plan: RunPlan, runId: string, landed: ReadonlySet<string>): Promise<void> {
  const {
    project,
    ideas,
    amended: { said, stale },
  } = plan;
  const left = context.json ? [] : await leftBehind(context.root, project.id, runId, ideas, landed);
  const open = new Set(ideas.filter(({ id, done, blue }) => !done && !blue && !landed.has(id)).map(({ id }) => id));
  const carried = context.json
    ? []
    : await carriedLines(context.root, { project: project.id, runId }, open, plan.again, plan);
  if (!context.json) for (const line of [...said, ...carried, ...left]) say(line);
  for (const idea of stale) await forget(context.root, project.id, idea);
}

/** Attaches to the open run when planning a new one fails. Without an open run, that failure is the error. */
async function comeBack(
  context: Context,
  options: StartOptions,
  { connect, RunApi, Attachment }: Awaited<ReturnType<typeof loadApi>>,
  problem: Error,
): Promise<number> {
  const project = await findProject(context).catch(() => undefined);
  const known = project && (await listRuns(context.root, project.id)).length > 0;
  if (!project || !known) throw problem;
  const connected = await connect(context, { start: true, project: project.id });
  let attachment: Attachment | undefined;
  try {
    const api = new RunApi(connected.client, project.id);
    const facts = await api.facts();
    if (!facts?.open || !facts.runId) throw problem;
    if (options.waves) await refusePlain(context.root, project.id, facts.runId);
    if (options.worker !== false) await ensureWorker(context, project.id, say);
    const run = { api, project: project.id, runId: facts.runId, worker: true };
    const taken = await onOpenRun(context, run, options);
    if (context.json) {
      const started = { kind: 'started', project: project.id, runId: facts.runId, attached: true };
      printJson({ ...started, ui: webPage(connected.target, project.id) ?? null, taken, problem: problem.message });
    } else say(`attached to the open run (${facts.runId}); a new run cannot start: ${problem.message}`);
    await sayStanding(api, context.json, { root: context.root, project: project.id });
    if (options.detach) return EXIT.ok;
    attachment = new Attachment(context, connected, {
      project: project.id,
      runId: facts.runId,
      worker: options.worker !== false,
    });
    return await attach(context, attachment, facts.runId, { ...showing(context, options), again: true });
  } finally {
    await (attachment ?? connected).close();
  }
}

/** Applies the flags to the open run. @throws UserError that names those it cannot apply */
async function onOpenRun(context: Context, run: OpenRun, options: StartOptions): Promise<string[]> {
  const { changedFile, takeFlags } = await import('../../open-run/flags.js');
  const { taken, same, refused } = await takeFlags(context, run, options);
  if (!context.json) {
    for (const line of taken) say(`applied to the open run: ${line}`);
    if (same.length > 0) say(`nothing changed: the run already has ${same.join(', ')}`);
    for (const line of await changedFile(context, run)) say(line);
  }
  if (refused.length === 0) return taken;
  const done = taken.length > 0 ? `. Applied: ${taken.join('; ')}` : '';
  throw new UserError(`run ${run.runId} is open and cannot apply: ${refused.join('; ')}${done}`, EXIT.refused);
}

async function loadApi() {
  const [{ connect }, { RunApi }, { Attachment }] = await Promise.all([
    import('../../api/connection.js'),
    import('../../api/run.js'),
    import('../../open-run/attachment.js'),
  ]);
  return { connect, RunApi, Attachment };
}

/** Says what to do about ideas that only look landed. */
async function sayLanded(context: Context, plan: RunPlan, attached = false): Promise<void> {
  const report = await reportOf(plan);
  const lines = attached ? attachedLines(report, plan.target) : reportLines(report, plan.target, startAgainOf(plan));
  for (const line of lines) say(`warning: ${line}`);
  for (const line of attached ? [] : await reusedIdLines(context, plan)) say(line);
}

async function endIdle(context: Context, plan: RunPlan, idle: NothingToStart): Promise<number> {
  if (!context.json) await sayLanded(context, plan);
  return sayNothingToStart(context, plan, idle);
}

type Begun = { plan: RunPlan } & ({ runId: string; attached: boolean; ahead: Ahead } | { idle: NothingToStart });

async function startOrAttach(
  context: Context,
  api: RunApi,
  { plan, ahead }: { plan: RunPlan; ahead: Ahead },
  options: StartOptions,
): Promise<Begun> {
  const runId = newRunId((await listRuns(context.root, plan.project.id))[0]);
  const open = await api.facts();
  if (open?.open && open.runId) {
    if (plan.again.length > 0)
      throw new UserError(
        `--again applies only to a new run, and run ${open.runId} is open. End it first: ralphctl stop`,
        EXIT.refused,
      );
    if (plan.waves) await refusePlain(context.root, plan.project.id, open.runId);
    return { runId: open.runId, attached: true, plan, ahead };
  }
  const { mode } = options;
  const { lockProject } = await import('../../after-run/closed.js');
  const begun = await lockProject(context, plan.project.id, async (waited): Promise<Begun | undefined> => {
    // The other command may have changed the target or the backlog since this start read them.
    const now = waited ? await planRun(context, options) : plan;
    const then = waited ? await lookAhead(context, now) : ahead;
    if (waited && then.idle) return { plan: now, idle: then.idle };
    const settings = {
      ...settingsOf(now.config, now.remote),
      ...trackerSettings(now.tracker?.config),
      ...waveSettings(now.waves),
      ...(mode ? { mode } : {}),
    };
    // Each wave adds its own ideas.
    await writeRun(context.root, runFile(now, runId), now.waves ? [] : now.ideas);
    await rememberReports(context.root, now);
    const answer = await api.start({ project: now.project.id, runId, settings }, { repo: now.project.repository.root });
    if (answer === 'started') return { runId, attached: false, plan: now, ahead: then };
    // Another start was first. What is left of this one would be the newest run.
    await rm(runDir(context.root, now.project.id, runId), { recursive: true, force: true });
    return undefined;
  });
  if (begun) return begun;
  const other = await api.facts();
  if (!other?.runId) throw new UserError('another run started at the same moment. See: ralphctl status');
  if (plan.waves) await refusePlain(context.root, plan.project.id, other.runId);
  return { runId: other.runId, attached: true, plan, ahead };
}

/** A start waits for such a command before it reads anything. */
async function whenProjectFree(context: Context): Promise<void> {
  const project = await findProject(context).catch(() => undefined);
  // Without the lock's folder nobody holds it. A start that is refused later must leave no folder behind.
  if (!project || !(await stat(closedLockDir(context.root, project.id)).catch(() => undefined))) return;
  const { lockProject } = await import('../../after-run/closed.js');
  await lockProject(context, project.id, () => Promise.resolve());
}

function announce(
  context: Context,
  connected: Connected,
  plan: RunPlan,
  about: { runId: string; attached: boolean; todo: number; taken: readonly string[] },
): void {
  const { runId, attached, todo, taken } = about;
  const link = webPage(connected.target, plan.project.id) ?? null;
  if (context.json) {
    printJson({
      kind: 'started',
      project: plan.project.id,
      runId,
      attached,
      target: plan.target,
      ui: link,
      ...(attached ? { taken } : { amended: plan.amended.said }),
    });
    return;
  }
  const settings = `${many(plan.config.slots, 'slot')}, agent ${plan.config.agent}${sandboxText(plan.config)}`;
  if (attached) say(`attached to the open run (${runId})`);
  else if (plan.waves) say(`run ${runId}: ${wavesText(plan.waves, todo)} onto ${plan.target}, ${settings}`);
  else say(`run ${runId}: ${many(todo, 'idea')} onto ${plan.target}, ${settings}`);
  if (plan.tracker && !attached) say(trackerLine(plan.tracker));
  if (link) say(`Web UI ${link}`);
}

/** Shows the full screen when the terminal can, otherwise lines. */
const showing = (context: Context, options: StartOptions): { wait: boolean; screen: boolean } => ({
  wait: options.wait ?? process.stdout.isTTY === true,
  screen: !context.json && options.plain !== true && canShowScreen(context.env),
});
