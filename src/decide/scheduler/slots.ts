/**
 * Slots for running agents (A1). Invariant: a slot has at most one holder. The lowest free number goes first, so that
 * ralphctl reuses agent names and worktrees.
 * Must not import anything.
 */

/** Slot 3 has the name `ed-003`. */
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

  /** Books a slot that the idea already holds, after continue-as-new. */
  hold(slot: number, idea: string): void {
    this.#holders.set(slot, idea);
  }

  /** Does nothing when another idea holds the slot. */
  free(slot: number, idea: string): void {
    if (this.#holders.get(slot) === idea) this.#holders.delete(slot);
  }
}
