/**
 * Room for running agents (A1). Invariant: a slot has at most one holder; the lowest free number is given first, so that
 * agent names and their worktrees are used again.
 * Must not import anything.
 */

/** Slot 3 works under the name `ed-003`. */
export const agentName = (slot: number): string => `ed-${String(slot).padStart(3, '0')}`;

export class Slots {
  readonly #holders = new Map<number, string>();

  get used(): number {
    return this.#holders.size;
  }

  /** The lowest free slot number, 1-based, now held by `idea`. */
  take(idea: string): number {
    let slot = 1;
    while (this.#holders.has(slot)) slot += 1;
    this.#holders.set(slot, idea);
    return slot;
  }

  /** Books a slot that the idea holds already, as carried state says. */
  hold(slot: number, idea: string): void {
    this.#holders.set(slot, idea);
  }

  /** Does nothing when somebody else holds the slot. */
  free(slot: number, idea: string): void {
    if (this.#holders.get(slot) === idea) this.#holders.delete(slot);
  }
}
