/**
 * Bounds how long a CLI may go on retrying by itself: some wait for a network or for the end of a limit for ever, and a
 * workflow that waits instead frees the slot, can fall back and survives a restart.
 */
export class Patience {
  #timer: NodeJS.Timeout | undefined;
  #lost = false;

  constructor(
    private readonly limitMs: number,
    private readonly onLost: () => void,
  ) {}

  /** It ran out. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Called with every line: the clock runs from the first retry to the next sign of work. */
  see(retrying: boolean): void {
    if (!retrying) this.end();
    else
      this.#timer ??= setTimeout(() => {
        this.#lost = true;
        this.onLost();
      }, this.limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
