/**
 * Serves the worker's metrics where the newest run's configuration says so, also after it changed.
 * Invariant: whatever goes wrong here is told, and ends neither worker nor run. Without `metrics.listen` nothing listens
 * and no event is read.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Place, placeOf } from '../../config/schema/metrics.js';
import { listRuns, loadNewest } from '../../run-files/run.js';
import type { WorkerLog } from '../log.js';
import { Endpoint, type Page, pageAddress } from './endpoint.js';
import { RunReader } from './read-run.js';
import { removeMetricsRecord, writeMetricsRecord } from './record.js';
import type { SdkMetrics } from './sdk.js';

const LOOK_MS = 2000;
/** Looks after a failure until the next try. */
const AGAIN_LOOKS = 3;

interface Options {
  root: string;
  project: string;
  log: WorkerLog;
  /** Time between two looks at the configuration. */
  lookMs?: number;
}

export class WorkerMetrics {
  readonly #options: Options;
  readonly #sdk: SdkMetrics | undefined;
  readonly #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #endpoint: Endpoint | undefined;
  /** One for the life of the worker, whatever its address. */
  #page: Page | undefined;
  /** What the last look came to; `looks`: left until the next try. */
  #last: { listen: string | undefined; looks: number } | undefined;

  private constructor(options: Options, sdk: SdkMetrics | undefined) {
    this.#options = options;
    this.#sdk = sdk;
  }

  /** Before the SDK's runtime: only then it can keep metrics, and it does so only if they are wanted. */
  static async prepare(options: Options): Promise<WorkerMetrics> {
    try {
      if ((await wantedListen(options)) !== undefined) {
        const { SdkMetrics } = await import('./sdk.js');
        return new WorkerMetrics(options, new SdkMetrics(options.project));
      }
    } catch (error) {
      options.log.problem('the metrics could not be prepared', error);
    }
    return new WorkerMetrics(options, undefined);
  }

  /** For the SDK's runtime. */
  get telemetry(): { metrics?: { buffer: SdkMetrics['buffer'] } } {
    return this.#sdk ? { metrics: { buffer: this.#sdk.buffer } } : {};
  }

  start(): void {
    const { log } = this.#options;
    this.#sdk?.start((error) => log.problem('metrics of the SDK were lost', error));
    this.#watching = this.#watch();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    await this.#shut();
    this.#sdk?.close();
    await removeMetricsRecord(this.#options.root, this.#options.project).catch(() => {});
  }

  async #watch(): Promise<void> {
    const { log, lookMs = LOOK_MS } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#look().catch((error) => log.problem('the metrics could not be set up', error));
      await delay(lookMs, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const listen = await wantedListen(this.#options);
    const last = this.#last;
    if (last && last.listen === listen && (this.#endpoint || listen === undefined || --last.looks > 0)) return;
    await this.#shut();
    this.#last = { listen, looks: AGAIN_LOOKS };
    const place = listen === undefined ? undefined : placeOf(listen);
    if (listen !== undefined && place) await this.#open(listen, place);
    else await removeMetricsRecord(this.#options.root, this.#options.project);
  }

  async #open(listen: string, place: Place): Promise<void> {
    const { root, project, log } = this.#options;
    const address = pageAddress(place);
    let found: ReturnType<typeof problemOf> | undefined;
    try {
      this.#endpoint = await Endpoint.open(place, await this.#makePage());
      log.event('serving metrics', { address });
    } catch (error) {
      found = problemOf(listen, error as NodeJS.ErrnoException);
      log.problem(`${found.problem}. ${found.fix}`, error);
    }
    await writeMetricsRecord(root, project, { address, ...found });
  }

  async #makePage(): Promise<Page> {
    if (this.#page) return this.#page;
    const { root, project, log } = this.#options;
    const { CONTENT_TYPE, RunRegistry } = await import('./registry.js');
    const registry = new RunRegistry(project);
    const reader = new RunReader(root, project, registry);
    const text = async (): Promise<string> => {
      try {
        await reader.read();
      } catch (error) {
        registry.readable(false);
        log.problem('the metrics of the run could not be read', error);
      }
      return `${await registry.text()}${(await this.#sdk?.text()) ?? ''}`;
    };
    this.#page = { type: CONTENT_TYPE, text };
    return this.#page;
  }

  async #shut(): Promise<void> {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    await endpoint?.close();
  }
}

/** Of the newest run. Configurations of older versions have no such part. */
async function wantedListen({ root, project }: Options): Promise<string | undefined> {
  const [runId] = await listRuns(root, project);
  if (runId === undefined) return undefined;
  const config: { metrics?: { listen?: string | undefined } } = (await loadNewest(root, { project, runId })).file
    .config;
  return config.metrics?.listen;
}

const OTHER = 'Set another metrics.listen in ralphctl.yaml, then: ralphctl config reload';

function problemOf(listen: string, { code, message }: NodeJS.ErrnoException): { problem: string; fix: string } {
  const no = 'the worker serves no metrics';
  switch (code) {
    case 'EADDRINUSE':
      return { problem: `${no}: another program listens on ${listen}, maybe another project's worker`, fix: OTHER };
    case 'EACCES':
      return { problem: `${no}: this user may not listen on ${listen}`, fix: OTHER };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return { problem: `${no}: this machine has no address ${listen}`, fix: OTHER };
    default:
      return { problem: `${no} on ${listen}: ${message}`, fix: OTHER };
  }
}
