/**
 * What an agent CLI has to be wrapped in.
 * Invariant: an adapter only builds command lines and reads output; it starts nothing and decides nothing.
 */
import type { AgentSpec } from '../config/agent-spec.js';
import type { Usage } from '../protocol/activities.js';
import type { FailureKind, LimitScope } from '../protocol/failures.js';
import { UserError } from '../protocol/user-error.js';
import type { Emit } from './reading/stream.js';

export interface InvocationContext {
  prompt: string;
  /** The worktree. */
  cwd: string;
  nonce: string;
  idea: string;
  iteration: number;
  /** Folder of this iteration, outside the worktree. */
  scratch: string;
  /** A UUID for the conversation, for a CLI that lets its caller choose. */
  sessionId: string;
  /** The agent is run by root. */
  root?: boolean;
  /** Go on with this conversation, for adapters that can. */
  resume?: string;
}

export interface Invocation {
  argv: string[];
  /** Absent: stdin is /dev/null. */
  stdin?: string;
  /** Added to the agent's environment; the configuration wins over it. */
  env: Record<string, string>;
  /** Written before the start: path, always below `scratch`, and content. */
  files?: Record<string, string>;
  /** The conversation, where it is known before the CLI tells. */
  sessionId?: string;
}

export interface AgentError {
  message: string;
  /** HTTP status of the model provider. */
  status?: number;
  /** Set when the CLI itself says what kind of error it is. */
  kind?: FailureKind;
  /** When a limit ends, epoch milliseconds. */
  resetAt?: number;
  scope?: LimitScope;
}

/** What the output of one run said. */
export interface Reading {
  /** The last thing the agent said; empty when it said nothing. */
  finalMessage: string;
  /** How the CLI's own last event ended the run; absent when there was none. turns: at its limit of turns. */
  terminal?: 'success' | 'error' | 'turns';
  error?: AgentError;
  /** The CLI was waiting to try again when its output stopped. */
  retrying?: AgentError;
  /** End of stderr: where a CLI that fails before its first event says why. */
  errorText: string;
  usage?: Usage;
  /** When its output stopped it was waiting for the model, and not for a tool. */
  awaitsModel: boolean;
  /** Answers of the model; 0 means that it never got to work. */
  turns: number;
  sessionId?: string;
}

export interface AgentReader {
  /** It is waiting to try again by itself. */
  readonly retrying: boolean;
  /** What the run used so far, where the CLI says so while it works. */
  readonly usage?: Usage | undefined;
  /** Set once the model has answered: there is a conversation to go on with, and its id where the CLI tells it. */
  readonly conversation?: { id?: string | undefined } | undefined;
  /** Takes one line of output. `terminal` once the run's last event was seen: whatever follows is only shutting down. */
  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined;
  finish(): Reading;
}

/** What the exit code of a CLI says by itself. */
export interface ExitMeaning {
  kind?: FailureKind;
  status?: number;
  turns?: true;
}

export interface AgentAdapter {
  id: AgentSpec['adapter'];
  /** It can go on with a conversation that was cut off. */
  resumes: boolean;
  /** Successful runs end with an event that says so; false for plain text, where the exit code has to do. */
  hasTerminalEvent(spec: AgentSpec): boolean;
  invocation(spec: AgentSpec, ctx: InvocationContext): Invocation;
  /** `emit` takes what a person would want to see while the agent runs: every kind of AgentEvent that the CLI tells of. */
  reader(spec: AgentSpec, emit: Emit): AgentReader;
  /** Only where exit codes other than 0 mean something. */
  exitMeaning?(exitCode: number): ExitMeaning | undefined;
}

/** The configuration names an agent that cannot be run; the message says what to edit. */
export class AgentConfigError extends UserError {}
