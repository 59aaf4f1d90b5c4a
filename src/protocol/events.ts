/**
 * What happens in a run, as one JSON line each in the run's events file (G6). Told by the workflows through a sink, so
 * it costs no history; after a crash the last line may be missing or stand twice (`idea`, `life` and `serial` tell).
 * Must import types only.
 */
import type { TestCounts } from './activities.js';
import type { IdeaStatus, RunState } from './run.js';
import type { AgentSignal } from './signal.js';

export type RunEvent =
  | { kind: 'run'; state: RunState; why?: string; landed: number; total: number }
  | {
      kind: 'idea';
      idea: string;
      title: string;
      status: IdeaStatus;
      agentName?: string;
      reason?: string;
      commit?: string;
    }
  | { kind: 'landing'; idea: string }
  | { kind: 'bounced'; idea: string; why: string }
  | { kind: 'iteration'; idea: string; serial: number; iteration: number; max: number; agentName: string }
  | {
      kind: 'iteration-end';
      idea: string;
      serial: number;
      iteration: number;
      signal: AgentSignal;
      outcome: 'ok' | 'timeout' | 'failed';
      message?: string;
      durationMs: number;
      commits: number;
    }
  | {
      kind: 'gate';
      idea: string;
      pass: boolean;
      command?: string;
      tests?: TestCounts;
      /** Commands that passed when run again. */
      flaky?: string[];
      /** Changes that a person should look at, in words. */
      tripwires?: string[];
      durationMs: number;
    }
  /** A step of a plan is over (B9). */
  | { kind: 'step'; idea: string; step: string; phase: string; state: 'complete' | 'skipped'; why?: string }
  | { kind: 'waiting'; idea: string; why: string; ms: number }
  | { kind: 'answered'; idea: string }
  /** A person told the run or an idea something, and what came of it. */
  | { kind: 'command'; verb: string; idea?: string; reason?: string; done: string }
  | { kind: 'refused'; verb: string; idea?: string; why: string }
  /** Hints and answers that were in the prompt of this agent run. */
  | { kind: 'delivered'; idea: string; serial: number; notes: number }
  /** An agent run was ended by a person; it is not charged. */
  | { kind: 'interrupted'; idea: string; iteration: number };

export type StampedEvent = RunEvent & { at: string };
