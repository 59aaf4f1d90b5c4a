/** What a command comes to before it is done. Must not import anything. */
export type Plan =
  /** Why not, and what would be legal. */
  | { refusal: string }
  /** Does it; returns one sentence for the person. */
  | { carryOut: () => string };

export const refuse = (refusal: string): Plan => ({ refusal });
