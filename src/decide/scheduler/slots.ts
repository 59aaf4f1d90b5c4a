/**
 * Slots for running agents (A1), and their numbers. An idea keeps its number while its gate runs beside the slots: ports,
 * containers and its worktree's set-up go by the number.
 * Invariant: a number has at most one holder. The lowest free number goes first, so that ralphctl reuses agent names and
 * worktrees.
 * Must not import anything.
 */

/**
 * Numbers that ideas may hold together. Beyond it, an idea holds its slot while its gate runs, because numbers stand for
 * ports.
 */
export const MOST_NUMBERS = 300;

/** Slot 3 has the name `ed-003`. */
export const agentName = (slot: number): string => `ed-${String(slot).padStart(3, '0')}`;

/** The number in such a name; undefined in any other text. */
export function slotOf(name: string): number | undefined {
  const [, digits] = /^ed-(\d{3,6})$/.exec(name) ?? [];
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits);
}

export class Slots {
  readonly #holders = new Map<number, string>();
  /** Numbers whose slot is free for another agent. */
  readonly #beside = new Set<number>();

  /** Slots that agents hold. */
  get used(): number {
    return this.#holders.size - this.#beside.size;
  }

  /** Numbers of ideas in a slot or beside the slots. */
  get numbers(): number {
    return this.#holders.size;
  }

  /** The wanted number, if it is free, or the lowest free one, 1-based; now held by `idea`. */
  take(idea: string, wanted?: number): number {
    let slot = wanted === undefined || this.#holders.has(wanted) ? 1 : wanted;
    while (this.#holders.has(slot)) slot += 1;
    this.#holders.set(slot, idea);
    return slot;
  }

  /** Books a number that the idea already holds, after continue-as-new. */
  hold(slot: number, idea: string, beside = false): void {
    this.#holders.set(slot, idea);
    if (beside) this.#beside.add(slot);
  }

  /** The holder keeps the number and gives the slot back. */
  stepAside(slot: number): void {
    this.#beside.add(slot);
  }

  /** The holder of the number has a slot again. */
  stepIn(slot: number): void {
    this.#beside.delete(slot);
  }

  /** Does nothing when another idea holds the slot. */
  free(slot: number, idea: string): void {
    if (this.#holders.get(slot) !== idea) return;
    this.#holders.delete(slot);
    this.#beside.delete(slot);
  }
}
