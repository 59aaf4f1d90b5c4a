/** The signals of an agent at the end of an iteration. Must not import anything. */
export type AgentSignal =
  | { kind: 'complete' }
  | { kind: 'blocked'; reason: string }
  | { kind: 'needs-human'; question: string }
  /** 0 to 100. */
  | { kind: 'progress'; percent: number }
  | { kind: 'none' };

/** Longest reason or question kept from an agent, in characters. */
export const MAX_SIGNAL_TEXT = 2000;
