/**
 * The events of a run, one JSON line each in the run's events file (G6). The workflows send them through a sink, so
 * they cost no history. After a crash the last line may be missing or appear twice (`idea`, `life` and `serial`
 * identify it).
 * Must import types only.
 */
import type { AgentSignal, Usage } from './agent-run.js';
import type { Spent } from './budget.js';
import type { RunMode, Teller } from './command.js';
import type { GateCommandResult, TestCounts } from './gate.js';
import type { AccountLine, Trouble } from './limits.js';
import type { IdeaStatus, ShownState } from './states.js';
import type { Rung, WarningLine } from './warnings.js';

/** Why a person is asked. */
export type Asking =
  | 'question'
  | 'approval'
  | 'tripwire'
  | 'budget'
  | 'confinement'
  | 'baseline'
  | 'escalation'
  | 'landing'
  /** The agent could not work, again and again. */
  | 'trouble';

export type RunEvent =
  | {
      kind: 'run';
      state: ShownState;
      why?: string;
      landed: number;
      /** Of the landed ones, those from before this run. */
      before?: number;
      total: number;
      mode?: RunMode;
      slots?: number;
      /** By all ideas of this run so far. */
      spent?: Spent;
    }
  | {
      kind: 'idea';
      idea: string;
      title: string;
      status: IdeaStatus;
      agentName?: string;
      reason?: string;
      commit?: string;
      /** Pending, but on hold by a person. */
      held?: true;
      /** Its next iteration or its landing waits for an approval, or an approval answers its question. */
      approval?: true;
      /** Failed tries before this one. */
      retries?: number;
    }
  | { kind: 'landing'; idea: string }
  | { kind: 'bounced'; idea: string; why: string }
  | {
      kind: 'iteration';
      idea: string;
      serial: number;
      iteration: number;
      max: number;
      agentName: string;
      /** Agent from the configuration. */
      agent?: string;
      model?: string;
      /** Commit that the idea's work stands on. */
      base?: string;
      /** Of its plan, 1-based. */
      step?: { number: number; of: number; id: string; phase: string };
    }
  | {
      kind: 'iteration-end';
      idea: string;
      serial: number;
      iteration: number;
      signal: AgentSignal;
      /** Why its COMPLETE does not count. */
      turnedDown?: string;
      outcome: 'ok' | 'timeout' | 'failed';
      message?: string;
      durationMs: number;
      commits: number;
      /** Agent from the configuration, and the model that it used. */
      agent?: string;
      model?: string;
      /** As the agent reported it; absent where it reported nothing. */
      usage?: Usage;
      /** The agent's last words, cut. */
      words?: string;
      /** Processes that had got away from the agent's run and were ended: program and pid. */
      escaped?: string[];
    }
  /** A command of the gate begins; `merged`: on the tree that is about to land. */
  | { kind: 'gate-start'; idea: string; command: string; number: number; of: number; merged?: true }
  | {
      kind: 'gate';
      idea: string;
      /** Ran on the tree that is about to land. */
      merged?: true;
      /** In the order in which they ran; those after the first red one did not. */
      commands?: GateCommandResult[];
      /** Failing tests that pass where the idea began, and such that fail there, too. */
      newTests?: string[];
      knownTests?: string[];
      pass: boolean;
      command?: string;
      /** Of the command that failed; null: it was stopped. */
      exitCode?: number | null;
      /** Its whole output. */
      log?: string;
      tests?: TestCounts;
      /** Commands that passed on a retry. */
      flaky?: string[];
      /** Commands that also fail on the base and were tolerated (`gate.baseline: tolerate`). */
      tolerated?: string[];
      /** Changes that a person should check, as sentences. */
      tripwires?: string[];
      /** As of an iteration's end. */
      escaped?: string[];
      /** Paths in dependency folders that changed between the end of the agent and the gate. */
      late?: string[];
      durationMs: number;
    }
  /** A step of a plan begins (B9). */
  | { kind: 'step-start'; idea: string; step: string; phase: string; number: number; of: number }
  /** A step of a plan is over (B9). */
  | {
      kind: 'step';
      idea: string;
      step: string;
      phase: string;
      state: 'complete' | 'skipped' | 'failed';
      why?: string;
      /** 1-based. */
      number?: number;
      of?: number;
    }
  | { kind: 'waiting'; idea: string; why: string; ms: number }
  /** An idea asks a person. The question is whole; that of the `idea` event is cut. */
  | { kind: 'asks'; idea: string; asking: Asking; question: string }
  | { kind: 'answered'; idea: string; text?: string; by?: Teller }
  /** A person's command to the run or an idea, and its outcome. */
  | { kind: 'command'; verb: string; idea?: string; reason?: string; text?: string; by?: Teller; done: string }
  | { kind: 'refused'; verb: string; idea?: string; text?: string; by?: Teller; why: string }
  /** Hints and answers in the prompt of this agent run. */
  | { kind: 'delivered'; idea: string; serial: number; notes: number; fromProgram?: number }
  /** A person ended an agent run; it is not charged. */
  | { kind: 'interrupted'; idea: string; iteration: number }
  /** A run could not work: its idea waits for another agent, or for this one's limit to end. */
  | { kind: 'parked'; idea: string; trouble: Trouble }
  /** The budget of run or day is used up: the idea released its slot, and resumes later where it stopped. */
  | { kind: 'held'; idea: string; why: string }
  /** An account or agent was closed, is being tried, or is open again. */
  | { kind: 'account'; account: AccountLine }
  /** No agent can work, so nothing runs; `until`: epoch ms when the run resumes by itself. */
  | { kind: 'all-limited'; why: string; until?: number }
  /** The idea continues with another agent. */
  | { kind: 'agent'; idea: string; agent: string; before?: string; why?: string }
  /** It made no progress for this many iterations, and the reaction to that. */
  | { kind: 'escalated'; idea: string; rung: Rung['do']; iterations: number }
  /** An alert left for a row, rings in attached terminals, or could not be delivered. */
  | {
      kind: 'alert';
      row: string;
      state: 'delivered' | 'failed' | 'bell';
      /** How many events it tells. */
      events: number;
      why?: string;
    }
  /** A warning (B6); without an idea it is the run's. */
  | { kind: 'warning'; idea?: string; warning: WarningLine['kind']; text: string };

export type StampedEvent = RunEvent & { at: string };
