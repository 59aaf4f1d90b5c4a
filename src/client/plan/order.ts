/** The order in which the ideas of a plan would start, round by round. Starts nothing. */
import { toCard } from '../../backlog/cards.js';
import { Autopilot, firstState } from '../../decide/run/autopilot.js';
import { rankReady, score as scoreOf, scoreParts } from '../../decide/scheduler/score.js';
import type { KeptCommand } from '../../protocol/activities.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { ScorePart } from '../../protocol/views.js';
import { abandonedIdeas, retriedIdeas } from '../../run-files/carried.js';
import { keptForNext } from '../../run-files/kept.js';
import { settingsOf } from '../../run-files/settings.js';
import { needNoWork } from '../../run-files/ticks.js';
import type { Context } from '../context.js';
import { landedOnTarget, type RunPlan } from './run-plan.js';

/** As the new run carries them out. A person who names an idea again wants it to run. */
async function keptCommands(root: string, project: string, again: readonly string[]): Promise<KeptCommand[]> {
  return (await keptForNext(root, project)).flatMap(({ idea, kept }) =>
    kept
      .filter(({ verb }) => verb !== 'rollback' || !again.includes(idea))
      .map(({ at: _, ...command }) => ({ idea, ...command })),
  );
}

export interface Ordered {
  id: string;
  title: string;
  round: number;
  score: number;
  agent: string;
  after: string[];
}

export interface Order {
  order: Ordered[];
  landed: string[];
  /** Why an idea has its score, when its round begins. */
  parts: ReadonlyMap<string, ScorePart[]>;
}

/** The run as it would begin: with the ideas that need no work, and with what people decided before. */
export async function beginningOf(
  context: Context,
  plan: RunPlan,
): Promise<{ pilot: Autopilot; settings: RunSettings; landed: string[] }> {
  const settings = settingsOf(plan.config);
  const onTarget = new Set(await landedOnTarget(plan));
  const project = plan.project.id;
  const givenUp = await abandonedIdeas(context.root, project);
  const abandoned = [...givenUp]
    .filter(([idea]) => !plan.again.includes(idea))
    .map(([idea, { reason }]) => ({ idea, reason: reason || undefined }));
  const opened = {
    carried: {
      ...{ abandoned, hints: [], retries: await retriedIdeas(context.root, project) },
      kept: await keptCommands(context.root, project, plan.again),
    },
    agentsQueue: '',
    gitQueue: '',
    target: plan.target,
    cards: plan.ideas.map(toCard),
    landed: needNoWork(plan.ideas, onTarget, plan.again),
  };
  const pilot = new Autopilot(firstState(opened, settings, Date.now()), settings);
  return { pilot, settings, landed: opened.landed };
}

export async function orderOf(context: Context, plan: RunPlan): Promise<Order> {
  const { pilot, settings, landed } = await beginningOf(context, plan);
  const order: Ordered[] = [];
  const parts = new Map<string, ScorePart[]>();
  const byId = new Map(plan.ideas.map((idea) => [idea.id, idea]));
  // A round holds the ideas that become ready once the earlier rounds have landed.
  for (let round = 1; pilot.graph.readyCount > 0; round++) {
    const ready = rankReady(pilot.graph, settings.weights);
    for (const id of ready) {
      const idea = byId.get(id);
      const agent = idea?.agent ?? plan.config.agent;
      const entry = pilot.graph.entry(id);
      const score = entry ? scoreOf(entry, pilot.graph, settings.weights) : 0;
      if (entry) parts.set(id, scoreParts(entry, pilot.graph, settings.weights));
      order.push({ id, title: idea?.title ?? '', round, score, agent, after: idea?.dependsOn ?? [] });
    }
    for (const id of ready) {
      const entry = pilot.graph.entry(id);
      if (entry) entry.status = 'landed';
      pilot.graph.markDone(id);
    }
  }
  return { order, landed, parts };
}
