/**
 * The interface of an agent adapter.
 * Invariant: an adapter only builds command lines and reads output; it starts nothing and decides nothing.
 */
import type { AgentSpec } from '../config/agent-spec.js';
import type { Usage } from '../protocol/agent-run.js';
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
  /** root runs the agent. */
  root?: boolean;
  /** Resume this conversation, for adapters that can. */
  resume?: string;
}

export interface Invocation {
  argv: string[];
  /** Absent: stdin is /dev/null. */
  stdin?: string;
  /** Added to the agent's environment; the configuration overrides it. */
  env: Record<string, string>;
  /** Written before the start: path, always below `scratch`, and content. */
  files?: Record<string, string>;
  /** The conversation, where it is known before the CLI reports it. */
  sessionId?: string;
}

export interface AgentError {
  message: string;
  /** HTTP status of the model provider. */
  status?: number;
  /** Set when the CLI itself names the kind of error. */
  kind?: FailureKind;
  /** When a limit ends, epoch milliseconds. */
  resetAt?: number;
  scope?: LimitScope;
}

/** The content of one run's output. */
export interface Reading {
  /** The agent's last message; empty when there was none. */
  finalMessage: string;
  /** The ending in the CLI's own last event; absent when there was none. turns: at its limit of turns. */
  terminal?: 'success' | 'error' | 'turns';
  error?: AgentError;
  /** The CLI was waiting to retry when its output stopped. */
  retrying?: AgentError;
  /** End of stderr: the reason when a CLI fails before its first event. */
  errorText: string;
  usage?: Usage;
  /** When its output stopped it was waiting for the model, not for a tool. */
  awaitsModel: boolean;
  /** Answers of the model; 0 means that it never started to work. */
  turns: number;
  sessionId?: string;
  /** As the CLI names it. */
  model?: string;
}

export interface AgentReader {
  /** It waits to retry by itself. */
  readonly retrying: boolean;
  /** The use of the run so far, where the CLI reports it while it works. */
  readonly usage?: Usage | undefined;
  /** Set once the model has answered: the conversation exists, with its id where the CLI reports it. */
  readonly conversation?: { id?: string | undefined } | undefined;
  /** Takes one line of output. `terminal` once the run's last event was seen: the rest is only shutdown. */
  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined;
  finish(): Reading;
}

/** The meaning of a CLI's exit code alone. */
export interface ExitMeaning {
  kind?: FailureKind;
  status?: number;
  turns?: true;
}

export interface AgentAdapter {
  id: AgentSpec['adapter'];
  /** It can resume an interrupted conversation. */
  resumes: boolean;
  /** Successful runs end with an event that reports it; false for plain text, where only the exit code counts. */
  hasTerminalEvent(spec: AgentSpec): boolean;
  invocation(spec: AgentSpec, ctx: InvocationContext): Invocation;
  /**
   * `emit` takes everything that a person would want to see of a running agent: every kind of AgentEvent that the CLI
   * reports.
   */
  reader(spec: AgentSpec, emit: Emit): AgentReader;
  /** Only where exit codes other than 0 have a meaning. */
  exitMeaning?(exitCode: number): ExitMeaning | undefined;
}

/** The configuration names an agent that cannot run; the message names the edit that fixes it. */
export class AgentConfigError extends UserError {}
