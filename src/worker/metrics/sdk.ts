/**
 * The Temporal SDK's own metrics, from its buffer to one page with those of the run.
 * Invariant: the buffer is drained all the time, or the SDK drops updates. No label outside the list goes out, so the
 * number of series is bounded. Names are those of the SDK's own exporter with units and `_total`.
 */
import { MetricsBuffer } from '@temporalio/worker';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const DRAIN_MS = 1000;
/** Updates between two drains, with a hundred slots at work. */
const MOST_UPDATES = 50_000;

const LABELS = [
  ...(['namespace', 'task_queue', 'workflow_type', 'activity_type', 'operation', 'status_code'] as const),
  ...(['poller_type', 'worker_type', 'failure_reason', 'eager'] as const),
] as const;

/** Of activities that take an hour as of requests that take a millisecond. */
const BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800, 3600];

export class SdkMetrics {
  readonly buffer = new MetricsBuffer({ maxBufferSize: MOST_UPDATES, useSecondsForDurations: true });
  readonly #registry = new Registry();
  readonly #known = new Map<string, Counter | Gauge | Histogram>();
  #timer: NodeJS.Timeout | undefined;

  constructor(project: string) {
    this.#registry.setDefaultLabels({ project });
  }

  /** Once the SDK's runtime has the buffer. `onError`: the next drain tries again. */
  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      try {
        this.#drain();
      } catch (error) {
        onError(error);
      }
    }, DRAIN_MS);
    this.#timer.unref();
  }

  text(): Promise<string> {
    this.#drain();
    return this.#registry.metrics();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #drain(): void {
    for (const { metric, value, attributes } of this.buffer.retrieveUpdates()) {
      const labels: Record<string, string> = {};
      for (const label of LABELS) if (attributes[label] !== undefined) labels[label] = String(attributes[label]);
      const to = this.#metric(metric);
      if (to instanceof Counter) to.inc(labels, Math.max(0, value));
      else if (to instanceof Histogram) to.observe(labels, value);
      else if (metric.kind === 'gauge') to.set(labels, value);
      else to.inc(labels, value);
    }
  }

  #metric({ name: own, kind, unit, description }: Named): Counter | Gauge | Histogram {
    const known = this.#known.get(own);
    if (known) return known;
    const name = exported(own, kind, unit);
    const about = { name, help: description || own, labelNames: [...LABELS], registers: [this.#registry] };
    const made =
      kind === 'counter'
        ? new Counter(about)
        : kind === 'histogram'
          ? new Histogram({ ...about, buckets: BUCKETS })
          : new Gauge(about);
    this.#known.set(own, made);
    return made;
  }
}

interface Named {
  name: string;
  kind: 'counter' | 'histogram' | 'gauge' | 'up-down-counter';
  unit?: string;
  description?: string;
}

function exported(own: string, kind: Named['kind'], unit: string | undefined): string {
  const name = own.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?!temporal_)/, 'temporal_');
  if (kind === 'counter') return name.replace(/(?:_total)?$/, '_total');
  const seconds = kind === 'histogram' && (unit === 's' || unit === 'seconds');
  return seconds ? name.replace(/(?:_seconds)?$/, '_seconds') : name;
}
