/**
 * Keeps the model of a run that is over current: what people tell its ideas, which goes to the next run, and what the
 * target has of them.
 * Invariant: reads only. Asks git again only when the target has moved.
 */
import { endedAs } from '../../model/at-end.js';
import type { RunModel } from '../../model/model.js';
import type { RunFile } from '../../run-files/shapes.js';
import { readSummary } from '../../run-files/summary.js';
import { takeNow } from '../model/take-target.js';
import { KeptGone } from '../report/gone.js';

export class Afterwards {
  readonly #root: string;
  readonly #file: RunFile;
  readonly #gone = new KeptGone();
  #hasEnd = false;

  constructor(root: string, file: RunFile) {
    this.#root = root;
    this.#file = file;
  }

  forget(): void {
    this.#gone.forget();
  }

  /** True when something changed. */
  async take(model: RunModel): Promise<boolean> {
    const { project, runId } = this.#file;
    if (!this.#hasEnd) {
      const summary = await readSummary(this.#root, { project, runId }, () => {}).catch(() => undefined);
      endedAs(model, summary);
      this.#hasEnd = summary !== undefined;
    }
    return (await takeNow(this.#root, model, this.#file, this.#gone.now)).changed;
  }
}
