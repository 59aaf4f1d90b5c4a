/**
 * What an agent CLI has to be wrapped in.
 * Invariant: an adapter only builds command lines and reads output; it starts nothing and decides nothing.
 */
import type { AgentSpec } from '../config/agent-spec.js';
import type { Usage } from '../protocol/activities.js';
import type { FailureKind } from '../protocol/failures.js';
import type { Emit } from './stream.js';

export interface InvocationContext {
  prompt: string;
  /** The worktree. */
  cwd: string;
  nonce: string;
  idea: string;
  iteration: number;
  /** Folder of this iteration, outside the worktree. */
  scratch: string;
}

export interface Invocation {
  argv: string[];
  /** Absent: stdin is /dev/null. */
  stdin?: string;
  /** Added to the agent's environment; the configuration wins over it. */
  env: Record<string, string>;
}

export interface AgentError {
  message: string;
  /** HTTP status of the model provider. */
  status?: number;
  /** Set when the CLI itself says what kind of error it is. */
  kind?: FailureKind;
  /** When a limit ends, epoch milliseconds. */
  resetAt?: number;
}

/** What the output of one run said. */
export interface Reading {
  /** The last thing the agent said; empty when it said nothing. */
  finalMessage: string;
  /** How the CLI's own last event ended the run; absent when there was none. */
  terminal?: 'success' | 'error';
  error?: AgentError;
  /** The CLI was waiting to try again when its output stopped. */
  retrying?: AgentError;
  /** End of stderr: where a CLI that fails before its first event says why. */
  errorText: string;
  usage?: Usage;
  /** Answers of the model; 0 means that it never got to work. */
  turns: number;
  sessionId?: string;
}

export interface AgentReader {
  /** Takes one line of output. `terminal` once the run's last event was seen: whatever follows is only shutting down. */
  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined;
  finish(): Reading;
}

export interface AgentAdapter {
  id: AgentSpec['adapter'];
  /** Successful runs end with an event that says so; false for plain text, where the exit code has to do. */
  hasTerminalEvent(spec: AgentSpec): boolean;
  invocation(spec: AgentSpec, ctx: InvocationContext): Invocation;
  /** `emit` takes what a person would want to see while the agent runs: every kind of AgentEvent that the CLI tells of. */
  reader(spec: AgentSpec, emit: Emit): AgentReader;
}
