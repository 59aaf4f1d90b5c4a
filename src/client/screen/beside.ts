/**
 * Keeps the model of a run current in what people do beside it: what its target has of its ideas and, once it is over,
 * what they tell its ideas, which goes to the next run.
 * Invariant: reads only. Asks git again only when the target has moved.
 */
import { endedAs } from '../../model/at-end.js';
import type { RunModel } from '../../model/model.js';
import type { RunFile } from '../../run-files/shapes.js';
import { readSummary } from '../../run-files/summary.js';
import { takeOpen } from '../model/take-open.js';
import { takeNow } from '../model/take-target.js';
import type { KeptGone } from '../report/gone.js';

export class Beside {
  readonly #root: string;
  readonly #file: RunFile;
  readonly #gone: KeptGone;
  #hasEnd = false;

  constructor(root: string, file: RunFile, gone: KeptGone) {
    this.#root = root;
    this.#file = file;
    this.#gone = gone;
  }

  /** True when something changed. */
  async take(model: RunModel): Promise<boolean> {
    if (model.endedAt === undefined) return takeOpen(model, this.#file, this.#gone.now);
    const { project, runId } = this.#file;
    if (!this.#hasEnd) {
      const summary = await readSummary(this.#root, { project, runId }, () => {}).catch(() => undefined);
      endedAs(model, summary);
      this.#hasEnd = summary !== undefined;
    }
    return (await takeNow(this.#root, model, this.#file, this.#gone.now)).changed;
  }
}
