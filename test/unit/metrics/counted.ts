/** Events of a run, counted as a worker does, into plain numbers. */
import { type Counting, MetricsFold } from '../../../src/metrics/fold.js';
import { gaugesOf } from '../../../src/metrics/gauges.js';
import { newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { idea } from '../report/shop-night.js';

export const START = Date.parse('2026-11-17T22:00:00.000Z');

/** Seconds since the start. */
export type Told = readonly [second: number, event: RunEvent];

export class Counted implements Counting {
  readonly values = new Map<string, number>();
  readonly times = new Map<string, number[]>();
  readonly agents: string[] = [];
  readonly fold: MetricsFold;

  constructor(ids: string[] = ['a', 'b', 'c'], slots = 2) {
    const head = { project: 'p', runId: 'r', name: 'shop', target: 'main', slots, startedAt: START };
    const model = newModel(
      head,
      ids.map((id) => idea(id, id)),
    );
    this.fold = new MetricsFold(model, this);
  }

  take(...events: Told[]): this {
    for (const [second, event] of events)
      this.fold.take({ at: new Date(START + second * 1000).toISOString(), ...event });
    return this;
  }

  add(name: string, labels: Record<string, string>, by = 1): void {
    const key = series(name, labels);
    this.values.set(key, (this.values.get(key) ?? 0) + by);
  }

  observe(name: string, labels: Record<string, string>, seconds: number): void {
    const key = series(name, labels);
    this.times.set(key, [...(this.times.get(key) ?? []), seconds]);
  }

  agent(name: string): void {
    if (!this.agents.includes(name)) this.agents.push(name);
  }

  /** Series of one metric above 0, by their labels. */
  of(name: string): Record<string, number> {
    return cut(name, this.values);
  }

  observed(name: string): Record<string, number[]> {
    return Object.fromEntries([...this.times].flatMap(([key, all]) => rest(name, key, all)));
  }

  gauges(name: string, second: number): Record<string, number> {
    const all = gaugesOf(this.fold, START + second * 1000);
    return cut(name, new Map(all.map(([one, labels, value]) => [series(one, labels), value])));
  }
}

const series = (name: string, labels: Record<string, string>): string =>
  `${name} ${Object.values(labels).join(' ')}`.trim();

const rest = <T>(name: string, key: string, value: T): [string, T][] =>
  key === name || key.startsWith(`${name} `) ? [[key.slice(name.length + 1), value]] : [];

const cut = (name: string, all: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...all].flatMap(([key, value]) => (value === 0 ? [] : rest(name, key, value))));

/* Events. */

export const run = (state: Extract<RunEvent, { kind: 'run' }>['state'], more: object = {}): RunEvent => ({
  ...{ kind: 'run', state, landed: 0, total: 3 },
  ...more,
});
export const status = (
  id: string,
  now: Extract<RunEvent, { kind: 'idea' }>['status'],
  more: object = {},
): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: id, status: now },
  ...more,
});
export const begins = (id: string, serial = 1, agent = 'claude'): RunEvent => ({
  ...{ kind: 'iteration', idea: id, serial, iteration: serial, max: 5, agentName: 'ed-001', agent },
});
export const ends = (id: string, serial = 1, more: object = {}): RunEvent => ({
  ...{ kind: 'iteration-end', idea: id, serial, iteration: serial, outcome: 'ok', commits: 1, durationMs: 60_000 },
  ...{ signal: { kind: 'complete' }, agent: 'claude' },
  ...more,
});
export const gate = (id: string, more: object = {}): RunEvent => ({
  ...{ kind: 'gate', idea: id, pass: true, durationMs: 4000, commands: [{ command: 'x', exitCode: 0, durationMs: 1 }] },
  ...more,
});
export const slot = (n: number) => ({ agentName: `ed-00${n}` });
