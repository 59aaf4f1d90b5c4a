/**
 * Reads what the newest run of a project has written since the last look, and counts it.
 * Invariant: the counts belong to one run. Another run begins at 0, which Prometheus takes as a restart of a counter.
 */

import { MetricsFold } from '../../metrics/fold.js';
import { gaugesOf } from '../../metrics/gauges.js';
import { eventsPath, parseEvent } from '../../run-files/events.js';
import { emptyModel, takeAdded } from '../../run-files/read-model.js';
import { listRuns } from '../../run-files/run.js';
import { LineTail } from '../../run-files/tail.js';
import { parseUsage, runKey, usageFiles } from '../../run-files/usage.js';
import type { RunRegistry } from './registry.js';

interface OpenRun {
  runId: string;
  begun: Date;
  fold: MetricsFold;
  events: LineTail;
  /** By path. */
  usage: Map<string, LineTail>;
}

export class RunReader {
  readonly #root: string;
  readonly #project: string;
  readonly #registry: RunRegistry;
  #run: OpenRun | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(root: string, project: string, registry: RunRegistry) {
    this.#root = root;
    this.#project = project;
    this.#registry = registry;
  }

  /** One look after the other. @throws where files of the run cannot be read; what was counted before stays */
  read(): Promise<void> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    const [runId] = await listRuns(this.#root, this.#project);
    if (runId !== this.#run?.runId) this.#run = runId === undefined ? undefined : await this.#begin(runId);
    const run = this.#run;
    if (!run) {
      this.#registry.readable(runId === undefined);
      return;
    }
    for await (const line of run.events.take()) {
      const event = parseEvent(line);
      if (event) run.fold.take(event);
    }
    await takeAdded(this.#root, { project: this.#project, runId: run.runId }, run.fold.model);
    await this.#readUsage(run);
    run.fold.countSlotTime();
    this.#registry.setGauges(gaugesOf(run.fold, Date.now()));
  }

  async #begin(runId: string): Promise<OpenRun | undefined> {
    const ref = { project: this.#project, runId };
    const found = await emptyModel(this.#root, ref);
    if (!found) return undefined;
    const { model, run } = found;
    this.#registry.reset();
    const { agent, fallback } = run.file.config;
    for (const name of new Set([agent, ...(fallback ?? [])])) this.#registry.agent(name);
    const fold = new MetricsFold(model, this.#registry);
    const events = new LineTail(eventsPath(this.#root, ref));
    return { runId, begun: new Date(run.file.createdAt), fold, events, usage: new Map() };
  }

  async #readUsage({ runId, begun, fold, usage }: OpenRun): Promise<void> {
    for (const path of usageFiles(this.#root, this.#project, begun)) {
      const tail = usage.get(path) ?? new LineTail(path);
      usage.set(path, tail);
      for await (const line of tail.take()) {
        const row = parseUsage(line);
        if (row?.run === runId) fold.takeRun(runKey(row), row);
      }
    }
  }
}
