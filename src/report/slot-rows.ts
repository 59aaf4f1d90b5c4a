/** Rows of the timeline of a report: one per slot, and one per account with closed periods. Pure. */
import type { RunModel } from '../model/model.js';
import type { Extra } from './extra.js';
import type { Report } from './schema.js';

type Row = Report['slots'][number];

export function slotsOf(model: RunModel, { night, now, over }: Extra): Row[] {
  const end = over ? (model.endedAt ?? model.lastAt ?? now) : now;
  const rows = new Map<string, Row>();
  const rowOf = (name: string): Row => {
    const row = rows.get(name) ?? { name, bars: [], marks: [] };
    rows.set(name, row);
    return row;
  };
  for (const { slot, idea, kind, from, to = end } of night?.bars ?? [])
    rowOf(slot).bars.push({ idea, from, to: Math.max(from, to), kind });
  for (const { slot, idea, at, state } of night?.marks ?? []) rowOf(slot).marks.push({ idea, at, state });
  const slots = [...rows.values()].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const accounts = new Map<string, Row>();
  for (const { key, agents, from, to = end } of model.limits) {
    const row = accounts.get(key) ?? { name: agents.join(', ') || key, bars: [], marks: [] };
    accounts.set(key, row);
    row.bars.push({ from, to: Math.max(from, to), kind: 'limit' });
  }
  return [...slots, ...accounts.values()];
}
