/**
 * Holds the run that the screen shows: its source, its pages, its model. A run that starts later replaces it.
 * Invariant: reads only; exactly one source is open.
 */
import type { RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { hasBegun } from '../../run-files/begun.js';
import { listRuns } from '../../run-files/run.js';
import type { Ui } from '../../screen/ui.js';
import type { Context } from '../context.js';
import { KeptGone } from '../report/gone.js';
import { Drafts } from './drafts.js';
import { Pages } from './pages.js';
import { RunSource } from './source.js';

export class CurrentRun {
  readonly #context: Context;
  readonly #changed: () => void;
  readonly #gone = new KeptGone();
  #ref: RunRef;
  #model: RunModel | undefined;
  source: RunSource;
  pages: Pages;
  drafts: Drafts;

  constructor(context: Context, ref: RunRef, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
    this.#ref = ref;
    this.source = new RunSource(context, ref, changed, this.#gone);
    this.pages = new Pages(context, ref, this.#gone);
    this.drafts = new Drafts(context.root, ref);
  }

  /** False until the files of the first run are read; a frame needs its model. */
  get isOpen(): boolean {
    return this.#model !== undefined;
  }

  get model(): RunModel {
    if (!this.#model) throw new Error('the run is not open');
    return this.#model;
  }

  async open(): Promise<void> {
    this.#model = await this.source.open();
  }

  async close(): Promise<void> {
    await this.drafts.close();
    await this.source.close();
  }

  /**
   * `take`: gets the unsent answers that the next run has, and keeps there what the screen has.
   * @returns the id of a run that started after this one ended; that run then becomes the current one
   */
  async followNewest(take: (theirs: Ui['drafts']) => void): Promise<string | undefined> {
    const { project, endedAt } = this.model;
    if (endedAt === undefined) return undefined;
    const runId = await this.#begunSince(project);
    if (runId === undefined) return undefined;
    const ref = { project, runId };
    const next = new RunSource(this.#context, ref, this.#changed, this.#gone);
    const model = await next.open().catch(() => undefined);
    if (!model) {
      await next.close();
      return undefined;
    }
    const before = this.source;
    this.source = next;
    this.#model = model;
    this.#ref = ref;
    this.pages = new Pages(this.#context, ref, this.#gone);
    const { drafts } = this;
    const nextDrafts = new Drafts(this.#context.root, ref);
    const theirs = await nextDrafts.read();
    this.drafts = nextDrafts;
    take(theirs);
    await drafts.close();
    await before.close();
    return runId;
  }

  /** The newest run after this one. A start that failed leaves the folder of a run that never begins. */
  async #begunSince(project: string): Promise<string | undefined> {
    let known: string | undefined;
    // A folder that cannot be listed ends no screen; the next look tries again.
    const runs = await listRuns(this.#context.root, project).catch(() => []);
    for (const [at, runId] of runs.entries()) {
      if (runId === this.#ref.runId) return undefined;
      if (await hasBegun(this.#context.root, { project, runId }).catch(() => false)) return runId;
      // Without a worker, only the server knows of a run that has just started.
      if (at === 0) known = await this.source.lastRun();
      if (runId === known) return runId;
    }
    return undefined;
  }
}
