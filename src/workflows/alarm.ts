/**
 * One resettable timer. Invariant: a new timer starts only when its time differs from the running one, because each
 * start and each cancellation is a history event.
 */
import { CancellationScope, isCancellation, patched, sleep } from '@temporalio/workflow';

export class Alarm {
  readonly #summary: string;
  readonly #ring: () => void;
  #at: number | undefined;
  #scope: CancellationScope | undefined;

  constructor(summary: string, ring: () => void) {
    this.#summary = summary;
    this.#ring = ring;
  }

  /** Epoch ms; undefined: no alarm. */
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

  /** As `set`, but a time that has come and led to nothing waits for an event, not for a timer. */
  setAhead(at: number | undefined): void {
    this.set(at !== undefined && at <= Date.now() && patched('no-idle-alarm') ? undefined : at);
  }

  async #wait(at: number): Promise<void> {
    // The timer's clock and the workflow's differ a little. The minimum prevents a busy loop.
    await sleep(Math.max(50, at - Date.now()), { summary: this.#summary });
    this.#at = undefined;
    this.#scope = undefined;
    this.#ring();
  }
}
