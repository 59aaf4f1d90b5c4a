/** The metrics of a run as prom-client keeps them, and those of this process. Only a worker that serves metrics loads it. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Counting } from '../../metrics/fold.js';
import type { GaugeValue } from '../../metrics/gauges.js';
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type Labels,
  METRICS,
  type Metric,
} from '../../metrics/list.js';

declare const __VERSION__: string | undefined;
const VERSION = typeof __VERSION__ === 'undefined' ? 'dev' : __VERSION__;

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

export class RunRegistry implements Counting {
  readonly #run = new Registry();
  readonly #process = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #agents = new Set<string>();

  constructor(project: string) {
    for (const one of [this.#run, this.#process]) one.setDefaultLabels({ project });
    const registers = [this.#run];
    for (const [name, { help, labels, type, buckets = [] }] of Object.entries<Metric>(METRICS)) {
      const about = { name, help, labelNames: Object.keys(labels), registers };
      if (type === 'counter') this.#counters.set(name, new Counter(about));
      if (type === 'gauge') this.#gauges.set(name, new Gauge(about));
      if (type === 'histogram') this.#histograms.set(name, new Histogram({ ...about, buckets: [...buckets] }));
    }
    collectDefaultMetrics({ register: this.#process });
    for (const name of MISNAMED) this.#process.removeSingleMetric(name);
    this.reset();
  }

  /** For another run. */
  reset(): void {
    this.#run.resetMetrics();
    this.#agents.clear();
    for (const [name, gauge] of this.#gauges) clear(name, gauge);
    this.#begin({});
    this.#gauge('ralphctl_build_info', { version: VERSION }, 1);
    this.readable(true);
  }

  /** Replaces all of them: a series that is not among the values is gone. */
  setGauges(values: readonly GaugeValue[]): void {
    for (const [name, gauge] of this.#gauges) if (!OF_THE_WORKER.has(name)) clear(name, gauge);
    for (const value of values) this.#gauge(...value);
    this.readable(true);
  }

  readable(yes: boolean): void {
    this.#gauge('ralphctl_run_files_readable', {}, yes ? 1 : 0);
  }

  agent(name: string): void {
    if (this.#agents.has(name)) return;
    this.#agents.add(name);
    this.#begin({ agent: name });
  }

  add(name: CounterName, labels: Record<string, string>, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  observe(name: HistogramName, labels: Record<string, string>, seconds: number): void {
    this.#histograms.get(name)?.observe(labels, seconds);
  }

  /** In Prometheus' text format. */
  async text(): Promise<string> {
    return `${await this.#run.metrics()}${await this.#process.metrics()}`;
  }

  #gauge(name: GaugeName, labels: Record<string, string>, value: number): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  /** A series that begins with its first event would hide this event from `increase`. */
  #begin(known: Record<string, string>): void {
    for (const [name, { labels, type }] of Object.entries<Metric>(METRICS)) {
      if (Object.keys(known).some((label) => !(label in labels))) continue;
      for (const series of seriesOf(labels, known)) {
        if (type === 'counter') this.#counters.get(name)?.inc(series, 0);
        if (type === 'histogram') this.#histograms.get(name)?.zero(series);
      }
    }
  }
}

/** Without a series until it is set. */
function clear(name: string, gauge: Gauge): void {
  const { labels } = METRICS[name as GaugeName];
  // With labels this is all; without, it sets 0.
  gauge.reset();
  if (Object.keys(labels).length === 0) gauge.remove();
}

/** Gauges with the names of counters, which Prometheus' own check refuses. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The model of the run does not tell them. */
const OF_THE_WORKER = new Set<string>(['ralphctl_build_info', 'ralphctl_run_files_readable']);

/** All series of labels whose values are known; none where one is open. */
function seriesOf(labels: Labels, known: Record<string, string>): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (series, [label, values]) => {
      const own = known[label];
      const all = own === undefined ? values : [own];
      if (typeof all === 'string') return [];
      return series.flatMap((one) => all.map((value) => ({ ...one, [label]: value })));
    },
    [{}],
  );
}
