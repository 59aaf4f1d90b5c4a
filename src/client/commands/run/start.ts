/** `ralphctl start`: plans, starts server and worker, starts a run or attaches to the open one, and follows it. */

import { stat } from 'node:fs/promises';
import { closedLockDir } from '../../../config/paths.js';
import { checkoutBehind } from '../../../git/landing/checkout.js';
import { landedIdeas } from '../../../git/landing/landed.js';
import type { RunMode } from '../../../protocol/command.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { forget } from '../../../run-files/amendments.js';
import { listRuns, writeRun } from '../../../run-files/run.js';
import { settingsOf } from '../../../run-files/settings.js';
import type { Connected } from '../../api/connection.js';
import type { RunApi } from '../../api/run.js';
import { type Context, findProject, printJson, say } from '../../context.js';
import { attach } from '../../follow/attach.js';
import { carriedLines, leftBehind } from '../../follow/left-behind.js';
import type { Attachment } from '../../open-run/attachment.js';
import { showPlan } from '../../open-run/dry-run.js';
import { reportLines } from '../../open-run/landed-report.js';
import { newRunId, planRun, type RunPlan, reportOf, runFile, type StartFlags } from '../../plan/run-plan.js';
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
  if (!loading || options.dryRun) return showPlan(context, await planRun(context, options, { agents: false }));
  await whenProjectFree(context);
  const plan = await planRun(context, options).catch((error: unknown) => error as Error);
  // Attaching to an open run must work after the backlog has moved or the configuration broke.
  if (plan instanceof Error) return comeBack(context, options, await loading, plan);
  await ensureStateFolder(context);
  for (const warning of plan.warnings) say(`warning: ${warning}`);
  const { connect, RunApi, Attachment } = await loading;
  const [connected] = await Promise.all([
    connect(context, { start: true }),
    options.worker === false ? undefined : ensureWorker(context, plan.project.id),
  ]);
  let attachment: Attachment | undefined;
  try {
    const api = new RunApi(connected.client, plan.project.id);
    const { runId, attached } = await startOrAttach(context, api, plan, options.mode);
    // Ideas that landed in earlier runs do not count as work of this one.
    const landed = new Set(context.json ? [] : await landedIdeas(plan.project.repository.root, plan.target));
    for (const id of plan.again) landed.delete(id);
    if (!context.json) for (const line of reportLines(await reportOf(plan), plan.target)) say(`warning: ${line}`);
    if (!attached) await sayAmended(context, plan, runId, landed);
    const taken = attached
      ? await onOpenRun(context, { api, project: plan.project.id, runId, worker: true }, options)
      : [];
    announce(context, connected, plan, { runId, attached, landed, taken });
    if (options.detach) return EXIT.ok;
    attachment = new Attachment(context, connected, {
      project: plan.project.id,
      runId,
      worker: options.worker !== false,
    });
    const code = await attach(context, attachment, runId, showing(context, options));
    const behind = await checkoutBehind(plan.project.repository.root, plan.target);
    if (behind && !context.json) say(`warning: ${behind}`);
    return code;
  } finally {
    await (attachment ?? connected).close();
  }
}

/** Prints the edits, splits and hints of earlier runs that apply to this run, and those that no longer do. */
async function sayAmended(
  context: Context,
  { project, ideas, again, amended: { said, stale } }: RunPlan,
  runId: string,
  landed: ReadonlySet<string>,
): Promise<void> {
  const left = context.json ? [] : await leftBehind(context.root, project.id, runId, ideas, landed);
  const open = new Set(ideas.filter(({ id, done, blue }) => !done && !blue && !landed.has(id)).map(({ id }) => id));
  const carried = context.json ? [] : await carriedLines(context.root, { project: project.id, runId }, open, again);
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
  const connected = await connect(context, { start: true });
  let attachment: Attachment | undefined;
  try {
    const api = new RunApi(connected.client, project.id);
    const facts = await api.facts();
    if (!facts?.open || !facts.runId) throw problem;
    if (options.worker !== false) await ensureWorker(context, project.id);
    const run = { api, project: project.id, runId: facts.runId, worker: true };
    const taken = await onOpenRun(context, run, options);
    if (context.json) {
      const { id } = project;
      const started = {
        kind: 'started',
        project: id,
        runId: facts.runId,
        attached: true,
        ui: workflowsPage(connected),
      };
      printJson({ ...started, taken, problem: problem.message });
    } else say(`attached to the open run (${facts.runId}); a new run cannot start: ${problem.message}`);
    if (options.detach) return EXIT.ok;
    attachment = new Attachment(context, connected, {
      project: project.id,
      runId: facts.runId,
      worker: options.worker !== false,
    });
    return await attach(context, attachment, facts.runId, showing(context, options));
  } finally {
    await (attachment ?? connected).close();
  }
}

/** Applies the flags to the open run. @throws UserError that names those it cannot apply */
async function onOpenRun(context: Context, run: OpenRun, options: StartOptions): Promise<string[]> {
  const { changedFile, takeFlags } = await import('../../open-run/flags.js');
  const { taken, refused } = await takeFlags(context, run, options);
  if (!context.json) {
    for (const line of taken) say(`applied to the open run: ${line}`);
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

async function startOrAttach(
  context: Context,
  api: RunApi,
  plan: RunPlan,
  mode: RunMode | undefined,
): Promise<{ runId: string; attached: boolean }> {
  const runId = newRunId((await listRuns(context.root, plan.project.id))[0]);
  const open = await api.facts();
  if (open?.open && open.runId) {
    if (plan.again.length > 0)
      throw new UserError(
        `--again applies only to a new run, and run ${open.runId} is open. End it first: ralphctl stop`,
        EXIT.refused,
      );
    return { runId: open.runId, attached: true };
  }
  const input = {
    project: plan.project.id,
    runId,
    settings: { ...settingsOf(plan.config), ...(mode ? { mode } : {}) },
  };
  const { lockProject } = await import('../../after-run/closed.js');
  const answer = await lockProject(context, plan.project.id, async (waited) => {
    // The other command may have changed the target or the backlog since this start read them.
    if (waited) throw new UserError('another command has worked on this project meanwhile. Call again: ralphctl start');
    await writeRun(context.root, runFile(plan, runId), plan.ideas);
    return api.start(input, { repo: plan.project.repository.root });
  });
  if (answer === 'started') return { runId, attached: false };
  const other = await api.facts();
  if (!other?.runId) throw new UserError('another run started at the same moment. See: ralphctl status');
  return { runId: other.runId, attached: true };
}

/** A start waits for such a command before it reads anything. */
async function whenProjectFree(context: Context): Promise<void> {
  const project = await findProject(context).catch(() => undefined);
  // Without the lock's folder nobody holds it. A start that is refused later must leave no folder behind.
  if (!project || !(await stat(closedLockDir(context.root, project.id)).catch(() => undefined))) return;
  const { lockProject } = await import('../../after-run/closed.js');
  await lockProject(context, project.id, () => Promise.resolve());
}

function workflowsPage({ target }: Connected): string | null {
  return target.uiUrl ? `${target.uiUrl}/namespaces/${target.namespace}/workflows` : null;
}

function announce(
  context: Context,
  connected: Connected,
  plan: RunPlan,
  about: { runId: string; attached: boolean; landed: ReadonlySet<string>; taken: readonly string[] },
): void {
  const { runId, attached, landed, taken } = about;
  const link = workflowsPage(connected);
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
  const todo = plan.ideas.filter((idea) => !idea.done && !idea.blue && !landed.has(idea.id)).length;
  if (attached) say(`attached to the open run (${runId})`);
  else
    say(
      `run ${runId}: ${many(todo, 'idea')} onto ${plan.target}, ${many(plan.config.slots, 'slot')}, agent ${plan.config.agent}`,
    );
  if (link) say(`Web UI ${link}`);
}

/** Shows the full screen when the terminal can, otherwise lines. */
const showing = (context: Context, options: StartOptions): { wait: boolean; screen: boolean } => ({
  wait: options.wait ?? process.stdout.isTTY === true,
  screen: !context.json && options.plain !== true && canShowScreen(context.env),
});
