/** The order in which the ideas of a plan would start, round by round. Starts nothing. */
import { Autopilot } from '../../decide/run/autopilot.js';
import { rounds } from '../../decide/scheduler/rounds.js';
import { partOf } from '../../model/counts.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { ScorePart } from '../../protocol/views.js';
import { settingsOf } from '../../run-files/settings.js';
import { needNoWork } from '../../run-files/ticks.js';
import type { Context } from '../context.js';
import { beginning } from './beginning.js';
import { landedOnTarget, type RunPlan } from './run-plan.js';

export interface Ordered {
  id: string;
  title: string;
  round: number;
  score: number;
  /** A person put it first: that much of its score. */
  first?: number;
  agent: string;
  after: string[];
}

export interface Order {
  order: Ordered[];
  landed: string[];
  /** Ideas that the run would work on, also those that wait for a skipped one. */
  todo: number;
  /** Those of them that no round takes, because of ideas that stay out or wait, too. */
  waits: { id: string; for: string[] }[];
  /** Why an idea has its score, when its round begins. */
  parts: ReadonlyMap<string, ScorePart[]>;
}

export interface Beginning {
  pilot: Autopilot;
  settings: RunSettings;
  landed: string[];
}

/** The run as it would begin: with the ideas that need no work, and with what people decided before. */
export async function beginningOf(context: Context, plan: RunPlan): Promise<Beginning> {
  const settings = settingsOf(plan.config);
  const landed = needNoWork(plan.ideas, new Set(await landedOnTarget(plan)), plan.again);
  const { target, ideas, again } = plan;
  const state = await beginning(context.root, { project: plan.project.id, target, ideas, landed, again }, settings);
  return { pilot: new Autopilot(state, settings), settings, landed };
}

/** As the header of the full screen counts them. */
export const todoOf = (entries: readonly IdeaEntry[]): number =>
  entries.filter(({ card, ...entry }) => !card.blue && partOf(entry) === 'todo').length;

export const orderOf = async (context: Context, plan: RunPlan): Promise<Order> =>
  orderFrom(plan, await beginningOf(context, plan));

export function orderFrom(plan: RunPlan, { pilot, settings, landed }: Beginning): Order {
  const byId = new Map(plan.ideas.map((idea) => [idea.id, idea]));
  const todo = todoOf(pilot.state.entries);
  const placed = rounds(pilot.graph, settings.weights);
  const order = placed.map(({ id, round, score, first }) => {
    const { title = '', agent = plan.config.agent, dependsOn: after = [] } = byId.get(id) ?? {};
    return { id, title, round, score, ...(first > 0 ? { first } : {}), agent, after };
  });
  const waits = pilot.state.entries
    .filter(({ card, ...entry }) => !card.blue && partOf(entry) === 'todo')
    .map(({ card: { id } }) => ({ id, for: pilot.graph.waitsFor(id) }));
  return { order, landed, todo, waits, parts: new Map(placed.map(({ id, parts }) => [id, parts])) };
}
