/**
 * What keeps ports and container names of things that run side by side apart: each has a number of its own.
 * Invariant: agents have 1 to 100, with their set-up and their idea's gate; what runs beside them has the numbers below.
 */
export const SEATS = {
  /** Landings and what takes them back: one at a time. */
  landing: 'landing-0',
  /** The gate on the commit that work started from: one at a time. */
  baseline: 'baseline-101',
  /** The base's tests over an idea's code: one at a time. */
  baseTests: 'base-tests-102',
} as const;

export function slotEnvironment(input: { agentName: string; project: string; idea: string }): Record<string, string> {
  const slot = Number(/\d+$/.exec(input.agentName)?.[0] ?? 1);
  return {
    RALPHCTL_SLOT: String(slot),
    RALPHCTL_PORT_BASE: String(20_000 + slot * 100),
    COMPOSE_PROJECT_NAME: `${input.project}-${slot}`.toLowerCase().replace(/[^a-z0-9_-]/g, '-'),
  };
}
