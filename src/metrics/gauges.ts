/** The gauges of a run, from its model. Pure. May import protocol types, the model and the use of slots only. */
import { partOf } from '../model/counts.js';
import type { RunModel } from '../model/model.js';
import { IDEA_STATUSES } from '../protocol/states.js';
import type { EmptyReason, SlotUse } from '../report/slot-use.js';
import { type MetricsFold, useOf } from './fold.js';
import { type GaugeName, METRICS } from './list.js';

export type GaugeValue = [name: GaugeName, labels: Record<string, string>, value: number];

/** `now`: epoch ms. */
export function gaugesOf(fold: Pick<MetricsFold, 'model' | 'slots' | 'troubles'>, now: number): GaugeValue[] {
  const { model, slots } = fold;
  const { state, startedAt, lastAt, queue } = model;
  return [
    ...values('ralphctl_run_state', 'state', { [state]: 1 }),
    ...moment('ralphctl_run_start_timestamp_seconds', startedAt),
    ...moment('ralphctl_run_last_event_timestamp_seconds', lastAt),
    ...values('ralphctl_slots', 'use', slotUses(slots, now)),
    ...ideaGauges(model),
    ['ralphctl_landing_queue_ideas', {}, queue.length],
    ...accountGauges(fold),
  ];
}

/** A series for each value that the list of metrics has. */
function values(name: GaugeName, label: string, found: Partial<Record<string, number>>): GaugeValue[] {
  const known: (typeof METRICS)[GaugeName]['labels'] = METRICS[name].labels;
  const all = known[label];
  return (Array.isArray(all) ? all : []).map((value: string) => [name, { [label]: value }, found[value] ?? 0]);
}

const moment = (name: GaugeName, ms: number | undefined, labels = {}): GaugeValue[] =>
  ms === undefined ? [] : [[name, labels, ms / 1000]];

function slotUses(slots: SlotUse, now: number): Record<string, number> {
  const { agent, held, empty } = slots.at(now);
  const reasons = Object.entries(empty).map(([reason, count]) => [useOf(reason as EmptyReason), count] as const);
  return { busy: agent, held, ...Object.fromEntries(reasons) };
}

function ideaGauges({ ideas, warnings }: RunModel): GaugeValue[] {
  const statuses: Record<string, number> = Object.fromEntries(IDEA_STATUSES.map((status) => [status, 0]));
  const open: Record<string, number> = {};
  let needYou = 0;
  for (const { kind } of warnings) open[kind] = (open[kind] ?? 0) + 1;
  for (const idea of ideas.values()) {
    for (const { kind } of idea.warnings) open[kind] = (open[kind] ?? 0) + 1;
    if (idea.group) continue;
    statuses[idea.status] = (statuses[idea.status] ?? 0) + 1;
    if (partOf(idea) === 'needYou') needYou += 1;
  }
  return [
    ...values('ralphctl_ideas', 'status', statuses),
    ['ralphctl_ideas_needing_you', {}, needYou],
    ...values('ralphctl_warnings', 'kind', open),
  ];
}

function accountGauges({ model, troubles }: Pick<MetricsFold, 'model' | 'troubles'>): GaugeValue[] {
  const closed = new Set<string>();
  const reopens = new Map<string, number>();
  for (const { agents, state, kind, until } of model.accounts.values()) {
    if (state === 'open') continue;
    for (const agent of agents) {
      closed.add(`${agent} ${kind}`);
      if (until !== undefined) reopens.set(agent, until);
    }
  }
  return [
    ...[...troubles].map(
      ([key, labels]): GaugeValue => ['ralphctl_account_closed', { ...labels }, closed.has(key) ? 1 : 0],
    ),
    ...[...reopens].flatMap(([agent, until]) => moment('ralphctl_account_reopens_timestamp_seconds', until, { agent })),
  ];
}
