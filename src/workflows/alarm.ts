/**
 * One timer that can be set again. Invariant: a timer is started only when its time differs from the one that runs, as
 * starting and cancelling are history events each.
 */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

export class Alarm {
  readonly #summary: string;
  readonly #ring: () => void;
  #at: number | undefined;
  #scope: CancellationScope | undefined;

  constructor(summary: string, ring: () => void) {
    this.#summary = summary;
    this.#ring = ring;
  }

  /** Epoch ms; undefined: not at all. */
  set(at: number | undefined): void {
    if (at === this.#at) return;
    this.#at = at;
    this.#scope?.cancel();
    this.#scope = undefined;
    if (at === undefined) return;
    const scope = new CancellationScope({ cancellable: true });
    this.#scope = scope;
    scope
      .run(() => this.#wait(at))
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }

  async #wait(at: number): Promise<void> {
    // A timer's clock and the workflow's differ by a little; never less than this, so that it cannot spin.
    await sleep(Math.max(50, at - Date.now()), { summary: this.#summary });
    this.#at = undefined;
    this.#scope = undefined;
    this.#ring();
  }
}
