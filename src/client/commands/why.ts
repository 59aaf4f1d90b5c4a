/** `ralphctl why IDEA`: the score as a sum (A2), what it waits for, what became of it. Works without a run, too. */
import { toCard } from '../../backlog/cards.js';
import { nearest } from '../../config/nearest.js';
import { Autopilot, firstState } from '../../decide/autopilot.js';
import { why as explain } from '../../decide/status.js';
import { landedIdeas } from '../../git/landed.js';
import type { WhyView } from '../../protocol/run.js';
import { listRuns, loadRun } from '../../runs/run-files.js';
import { resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import { runningWorker } from '../../worker/record.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { clean } from '../live-lines.js';
import { findProject } from '../project.js';
import { planRun, runSettings } from '../run-plan.js';
import { UserError } from '../user-error.js';

export async function why(context: Context, idea: string): Promise<number> {
  const { id } = await findProject(context);
  const view = (await fromRun(context, id, idea)) ?? (await fromBacklog(context, id, idea));
  if (context.json) printJson(view);
  else describe(view);
  return EXIT.ok;
}

async function fromRun(context: Context, project: string, idea: string): Promise<WhyView | undefined> {
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  // Only a worker answers, and asking when there is none costs the whole wait.
  if (embedded && !((await runningServer(context.root)) && (await runningWorker(context.root, project))))
    return undefined;
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, project);
    const facts = await api.facts();
    const view = facts ? await api.why(idea) : undefined;
    // Of a run that is over nothing can be told any more.
    if (view && !facts?.open) delete view.possible;
    return view;
  } finally {
    await connected.close();
  }
}

/** No run answers: the same sums from the last run's backlog, or from the backlog file. */
async function fromBacklog(context: Context, project: string, idea: string): Promise<WhyView> {
  const [last] = await listRuns(context.root, project);
  const pinned = last ? await loadRun(context.root, { project, runId: last }).catch(() => undefined) : undefined;
  const plan = pinned ? undefined : await planRun(context, {}, { agents: false });
  const ideas = pinned ? [...pinned.ideas.values()] : (plan?.ideas ?? []);
  const config = pinned?.file.config ?? plan?.config;
  const repo = pinned?.file.repo ?? plan?.project.repository.root;
  const target = pinned?.file.target ?? plan?.target;
  if (!config || !repo || !target) throw new UserError('there is no backlog to look in');
  const onTarget = new Set(await landedIdeas(repo, target));
  const settings = runSettings(config);
  const landed = ideas.filter((one) => one.done || onTarget.has(one.id)).map((one) => one.id);
  const opened = { agentsQueue: '', gitQueue: '', target, cards: ideas.map(toCard), landed };
  const pilot = new Autopilot(firstState(opened, settings, Date.now()), settings);
  const view = explain(idea, settings, pilot.graph);
  if (view) delete view.possible;
  if (view) return view;
  const ids = ideas.map((one) => one.id);
  const close = nearest(idea, ids);
  throw new UserError(`there is no idea ${idea}${close ? `. Did you mean ${close}?` : ''}`);
}

function describe(view: WhyView): void {
  print(`${view.idea}  ${clean(view.title)}`);
  print(`status ${view.status}${view.reason ? `: ${clean(view.reason)}` : ''}`);
  for (const part of view.parts) print(`${signed(part.value)}  ${part.label}`);
  print(`${signed(view.score)}  score${view.rank ? `, number ${view.rank} of the ready pool` : ''}`);
  for (const wait of view.waitsFor) print(`waits for ${wait}`);
  if (view.told) print(`you told it: ${view.told.verb}${view.told.reason ? ` (${clean(view.told.reason)})` : ''}`);
  if (view.possible && view.possible.length > 0) print(`possible now: ${view.possible.join(', ')}`);
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value}`.padStart(6);
