/**
 * Serves the worker's metrics where the newest run's configuration says so.
 * Invariant: without `metrics.listen` nothing listens and no event is read.
 */
import type { ServerResponse } from 'node:http';
import { listRuns, loadNewest } from '../../run-files/run.js';
import { type Answer, baseAddress, sayPlain } from '../served/endpoint.js';
import { Served, type ServedOptions } from '../served/served.js';
import { RunReader } from './read-run.js';
import type { SdkMetrics } from './sdk.js';

const PATH = '/metrics';

interface Page {
  type: string;
  /** @throws what the answer 500 then says */
  text: () => Promise<string>;
}

export class WorkerMetrics {
  readonly #options: ServedOptions;
  readonly #sdk: SdkMetrics | undefined;
  readonly #served: Served;
  /** One for the life of the worker, whatever its address. */
  #page: Page | undefined;

  private constructor(options: ServedOptions, sdk: SdkMetrics | undefined) {
    this.#options = options;
    this.#sdk = sdk;
    this.#served = new Served(options, {
      name: 'metrics',
      what: 'the metrics',
      key: 'metrics.listen',
      wanted: () => wantedListen(options),
      addressOf: (place) => `${baseAddress(place)}${PATH}`,
      answer: async () => answerWith(await this.#makePage()),
    });
  }

  /** Before the SDK's runtime: only then it can keep metrics, and it does so only if they are wanted. */
  static async prepare(options: ServedOptions): Promise<WorkerMetrics> {
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
    this.#served.start();
  }

  async close(): Promise<void> {
    await this.#served.close();
    this.#sdk?.close();
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
}

const answerWith =
  (page: Page): Answer =>
  async (request, response) => {
    const { method, url } = request;
    if (method !== 'GET' && method !== 'HEAD') return sayPlain(response, 405, 'Only GET.\n');
    if (url?.split('?', 1)[0] !== PATH) return sayPlain(response, 404, `The page is ${PATH}.\n`);
    say(response, page.type, await page.text());
  };

function say(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(response.req.method === 'HEAD' ? '' : text);
}

/** Of the newest run. Configurations of older versions have no such part. */
async function wantedListen({ root, project }: ServedOptions): Promise<string | undefined> {
  const [runId] = await listRuns(root, project);
  if (runId === undefined) return undefined;
  const config: { metrics?: { listen?: string | undefined } } = (await loadNewest(root, { project, runId })).file
    .config;
  return config.metrics?.listen;
}
