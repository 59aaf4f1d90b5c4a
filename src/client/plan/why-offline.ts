/** Explains an idea when no run answers: from the files of the last run, or from the backlog file. */
import { toCard } from '../../backlog/cards.js';
import { nearest } from '../../config/problems.js';
import { Autopilot, firstState } from '../../decide/run/autopilot.js';
import { why as explain } from '../../decide/views/why.js';
import { UserError } from '../../protocol/user-error.js';
import type { WhyView } from '../../protocol/views.js';
import { retriedIdeas } from '../../run-files/carried.js';
import { settingsOf } from '../../run-files/settings.js';
import { needNoWork } from '../../run-files/ticks.js';
import type { Context } from '../context.js';
import type { Recorded } from '../views/recorded.js';
import { landedOnTarget, type RunPlan } from './run-plan.js';
import { planAgain } from './waves.js';

/** `last`: the last run, whose source the next start reads; `recorded`: the newest run that had the idea. */
export async function whyFromFiles(
  context: Context,
  idea: string,
  { last, recorded = last }: { last: Recorded | undefined; recorded?: Recorded | undefined },
): Promise<WhyView> {
  const known = recorded && explain(idea, recorded.settings, recorded.graph, recorded.state);
  if (known) return known;
  // The backlog may have the idea since then.
  const plan = await planAgain(context, last?.run.file).catch((error: unknown) => {
    if (last) return undefined;
    throw error;
  });
  const view = plan && (await fromBacklog(context.root, plan, idea));
  if (view) {
    delete view.possible;
    return view;
  }
  const ids = [...(last?.run.ideas.keys() ?? []), ...(plan?.ideas ?? []).map(({ id }) => id)];
  const close = nearest(idea, ids);
  throw new UserError(`there is no idea ${idea}${close ? `. Did you mean ${close}?` : ''}`);
}

async function fromBacklog(root: string, plan: RunPlan, idea: string): Promise<WhyView | undefined> {
  const { ideas, config, project, target } = plan;
  const onTarget = new Set(await landedOnTarget(plan));
  const settings = settingsOf(config);
  const opened = {
    agentsQueue: '',
    gitQueue: '',
    target,
    cards: ideas.map(toCard),
    landed: needNoWork(ideas, onTarget),
    carried: { abandoned: [], hints: [], retries: await retriedIdeas(root, project.id) },
  };
  const pilot = new Autopilot(firstState(opened, settings, Date.now()), settings);
  return explain(idea, settings, pilot.graph, pilot.state);
}
