/**
 * Tells, beside the events of a run, which landed ideas its target does not have now. The run itself tells that with its
 * next landing only.
 * Invariant: reads only, and fails nothing: without an answer of git there is nothing to tell.
 */
import type { RunModel } from '../../model/model.js';
import { Folding } from '../../model/with-summary.js';
import type { StampedEvent } from '../../protocol/events.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { emptyModel, takeAdded } from '../../run-files/read-model.js';
import { readSummary } from '../../run-files/summary.js';
import { goneLines, KeptGone } from '../report/gone.js';
import { goneNow } from '../report/since-end.js';
import { Beside } from '../screen/beside.js';
import { SHOWN } from '../views/need-lines.js';
import { takenOffLines } from '../views/status-lines.js';

/** Interval between looks at the target. */
const LOOK_MS = 2000;

export class OffTarget {
  readonly #model: RunModel;
  readonly #folding: Folding;
  readonly #beside: Beside;
  readonly #takeAdded: () => Promise<unknown>;
  #told = new Set<string>();
  #lookedAt = 0;
  #looking: Promise<void> | undefined;

  private constructor(model: RunModel, folding: Folding, beside: Beside, added: () => Promise<unknown>) {
    this.#model = model;
    this.#folding = folding;
    this.#beside = beside;
    this.#takeAdded = added;
  }

  /** Undefined where the files of the run cannot be read: its log is shown all the same. */
  static async of(root: string, ref: RunRef): Promise<OffTarget | undefined> {
    const found = await emptyModel(root, ref).catch(() => undefined);
    if (!found) return undefined;
    const { model, run } = found;
    const folding = new Folding(model, await readSummary(root, ref, () => {}));
    return new OffTarget(model, folding, new Beside(root, run.file, new KeptGone()), () => takeAdded(root, ref, model));
  }

  take(event: StampedEvent): void {
    this.#folding.take(event);
    // What the run tells itself needs no second line.
    if (event.kind === 'reverted') for (const line of takenOffLines(this.#model)) this.#told.add(line);
  }

  /** Prints what is new, now and then. */
  watch(print: (line: string) => void): void {
    if (this.#looking || Date.now() - this.#lookedAt < LOOK_MS) return;
    this.#looking = this.#fresh(print).finally(() => {
      this.#lookedAt = Date.now();
      this.#looking = undefined;
    });
  }

  /** All that is off the target, after the last event. */
  async end(): Promise<string[]> {
    await this.#looking;
    if (this.#model.endedAt === undefined) this.#folding.end();
    await this.#takeAdded().catch(() => undefined);
    return this.#lines();
  }

  async #fresh(print: (line: string) => void): Promise<void> {
    const lines = await this.#lines();
    for (const line of lines) if (!this.#told.has(line)) print(line);
    this.#told = new Set(lines);
  }

  async #lines(): Promise<string[]> {
    const model = this.#model;
    await this.#beside.take(model).catch(() => false);
    return [
      ...(model.renamed ? [`! ${model.renamed.text}. ${model.renamed.fix}`] : []),
      ...takenOffLines(model),
      ...goneLines(goneNow(model), model.target, SHOWN),
    ];
  }
}
