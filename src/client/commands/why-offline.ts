/** Why without a run that answers: the same sums from the last run's backlog, or from the backlog file. */
import { toCard } from '../../backlog/cards.js';
import { nearest } from '../../config/nearest.js';
import { Autopilot, firstState } from '../../decide/autopilot.js';
import { why as explain } from '../../decide/status.js';
import { landedIdeas } from '../../git/landed.js';
import type { WhyView } from '../../protocol/views.js';
import { needNoWork } from '../../runs/landed.js';
import { listRuns, loadRun } from '../../runs/run-files.js';
import { settingsOf } from '../../runs/settings.js';
import type { Context } from '../context.js';
import { planRun } from '../run-plan.js';
import { UserError } from '../user-error.js';

export async function whyFromBacklog(context: Context, project: string, idea: string): Promise<WhyView> {
  const [last] = await listRuns(context.root, project);
  const pinned = last ? await loadRun(context.root, { project, runId: last }).catch(() => undefined) : undefined;
  const plan = pinned ? undefined : await planRun(context, {}, { agents: false });
  const ideas = pinned ? [...pinned.ideas.values()] : (plan?.ideas ?? []);
  const config = pinned?.file.config ?? plan?.config;
  const repo = pinned?.file.repo ?? plan?.project.repository.root;
  const target = pinned?.file.target ?? plan?.target;
  if (!config || !repo || !target) throw new UserError('there is no backlog to look in');
  const onTarget = new Set(await landedIdeas(repo, target));
  const settings = settingsOf(config);
  const landed = needNoWork(ideas, onTarget, pinned?.file.again);
  const opened = { agentsQueue: '', gitQueue: '', target, cards: ideas.map(toCard), landed };
  const pilot = new Autopilot(firstState(opened, settings, Date.now()), settings);
  const view = explain(idea, settings, pilot.graph, pilot.state);
  if (view) delete view.possible;
  if (view) return view;
  const ids = ideas.map((one) => one.id);
  const close = nearest(idea, ids);
  throw new UserError(`there is no idea ${idea}${close ? `. Did you mean ${close}?` : ''}`);
}
