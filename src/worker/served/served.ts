/**
 * Serves something where the newest run's configuration says so, also after it changed.
 * Invariant: whatever goes wrong here is told, and ends neither worker nor run. Without an address nothing listens.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Place, placeOf } from '../../config/schema/metrics.js';
import type { WorkerLog } from '../log.js';
import { type Answer, Endpoint } from './endpoint.js';
import { removeServedRecord, type ServedName, writeServedRecord } from './record.js';

const LOOK_MS = 2000;
/** Looks after a failure until the next try. */
const AGAIN_LOOKS = 3;

export interface ServedOptions {
  root: string;
  project: string;
  log: WorkerLog;
  /** Time between two looks at the configuration. */
  lookMs?: number;
}

interface Service {
  name: ServedName;
  /** For people: "the metrics". */
  what: string;
  /** Key of the configuration. */
  key: string;
  /** The configured address. */
  wanted: () => Promise<string | undefined>;
  addressOf: (place: Place) => string;
  /** Called when it is to be served. */
  answer: () => Promise<Answer>;
}

export class Served {
  readonly #options: ServedOptions;
  readonly #service: Service;
  readonly #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #endpoint: Endpoint | undefined;
  /** What the last look came to; `looks`: left until the next try. */
  #last: { listen: string | undefined; looks: number } | undefined;

  constructor(options: ServedOptions, service: Service) {
    this.#options = options;
    this.#service = service;
  }

  start(): void {
    this.#watching = this.#watch();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    await this.#shut();
    await this.#removeRecord().catch(() => {});
  }

  async #watch(): Promise<void> {
    const { log, lookMs = LOOK_MS } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#look().catch((error) => log.problem(`${this.#service.what} could not be set up`, error));
      await delay(lookMs, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const listen = await this.#service.wanted();
    const last = this.#last;
    if (last && last.listen === listen && (this.#endpoint || listen === undefined || --last.looks > 0)) return;
    await this.#shut();
    this.#last = { listen, looks: AGAIN_LOOKS };
    const place = listen === undefined ? undefined : placeOf(listen);
    if (listen !== undefined && place) await this.#open(listen, place);
    else await this.#removeRecord();
  }

  async #open(listen: string, place: Place): Promise<void> {
    const { root, project, log } = this.#options;
    const { name, addressOf, answer } = this.#service;
    const address = addressOf(place);
    let found: ReturnType<typeof problemOf> | undefined;
    try {
      this.#endpoint = await Endpoint.open(place, await answer());
      log.event(`serving ${name}`, { address });
    } catch (error) {
      found = problemOf(this.#service, listen, error as NodeJS.ErrnoException);
      log.problem(`${found.problem}. ${found.fix}`, error);
    }
    await writeServedRecord(root, project, name, { address, ...found });
  }

  #removeRecord(): Promise<void> {
    return removeServedRecord(this.#options.root, this.#options.project, this.#service.name);
  }

  async #shut(): Promise<void> {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    await endpoint?.close();
  }
}

export function whyNotListening(listen: string, { code, message }: NodeJS.ErrnoException): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `another program listens on ${listen}, maybe another project's worker`;
    case 'EACCES':
      return `this user may not listen on ${listen}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${listen}`;
    default:
      return message;
  }
}

function problemOf({ name, key }: Service, listen: string, error: NodeJS.ErrnoException) {
  const problem = `the worker serves no ${name}: ${whyNotListening(listen, error)}`;
  return { problem, fix: `Set another ${key} in ralphctl.yaml, then: ralphctl config reload` };
}
