/**
 * What an agent does while it runs, in the same words for every CLI: one event per thing that happened.
 * Invariant: a view for people and for `status`. Nothing is decided from it: outcome, signal and usage of a run come from
 * the reader's {@link Reading}. Fields are only ever added; a reader of the file skips kinds it does not know.
 */
export type AgentEvent =
  /** The CLI began a conversation. */
  | { kind: 'session'; id?: string; model?: string }
  /** Something the agent said to its user. `sub`: a subagent said it. */
  | { kind: 'message'; text: string; sub?: true }
  /** A tool begins. `subject` is what it works on: a path, a command, a pattern (see `toolSubject`). */
  | { kind: 'tool'; name: string; id?: string; subject?: string; sub?: true }
  /** A tool ended. `id` is that of its `tool` event; `note` a few words of an error, never its output. */
  | { kind: 'tool-result'; ok: boolean; id?: string; name?: string; exitCode?: number; note?: string }
  /** Totals of this run so far, not increments. What is not known is absent, not zero. */
  | { kind: 'usage'; inputTokens?: number; outputTokens?: number; costUsd?: number }
  /** The CLI waits to try again by itself. */
  | { kind: 'retrying'; message: string; status?: number; attempt?: number; of?: number; delayMs?: number }
  /** A usage limit was hit. `resetAt` in epoch milliseconds. */
  | { kind: 'limit'; message: string; resetAt?: number }
  /** The CLI's own last event. */
  | { kind: 'end'; ok: boolean; message?: string };

/** Takes an event. Cheap, never throws; may drop events when they come faster than a person could read. */
export type Emit = (event: AgentEvent) => void;

/** One line of `stream.jsonl`. `cut`: this many events before it are not in the file. */
export type StreamLine = { at: string } & (AgentEvent | { kind: 'cut'; events: number });
