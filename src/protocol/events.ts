/**
 * The events of a run, one JSON line each in the run's events file (G6). The workflows send them through a sink, so
 * they cost no history. After a crash the last line may be missing or appear twice (`idea`, `life` and `serial`
 * identify it).
 * Must import types only.
 */
import type { AgentSignal, Usage } from './agent-run.js';
import type { Spent } from './budget.js';
import type { RunMode, Teller } from './command.js';
import type { HeldCause } from './delivery.js';
import type { GateCommandResult, TestCounts } from './gate.js';
import type { AccountLine, Trouble } from './limits.js';
import type { IdeaStatus, ShownState } from './states.js';
import type { Rung, WarningLine } from './warnings.js';
import type { TakenReport, UnknownRuns, WaveReading, WaveRejection, WaveSummary, WavesEnd } from './waves.js';

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

/**
 * `set-up` of the worktree of an agent or a gate. `base`: the gate's commands on the commit that the work started from,
 * with a set-up of its own. `base-tests`: the tests of that commit on the code of the idea. `again`: a failed command of
 * the gate once more.
 */
export const ACTIVITIES = ['set-up', 'base-set-up', 'base', 'base-tests-set-up', 'base-tests', 'again'] as const;
export type Activity = (typeof ACTIVITIES)[number];

export type RunEvent =
  | {
      kind: 'run';
      state: ShownState;
      why?: string;
      landed: number;
      /** Of the landed ones, those from before this run. */
      before?: number;
      total: number;
      /** In the first one of a run: the ideas that are only ticked, which `landed` and `total` leave out. */
      ticked?: string[];
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
      /** Running: its agent has ended, and its work is settled or its gate runs without a slot. */
      gating?: true;
      reason?: string;
      commit?: string;
      /** Its work is done and lands later: the reason says why. */
      waits?: true;
      /** Pending, but on hold by a person. */
      held?: true;
      /** Its next iteration or its landing waits for an approval, or an approval answers its question. */
      approval?: true;
      /** Failed tries before this one. */
      retries?: number;
      /** It failed before an iteration of it counted, so it may have no worktree. */
      unworked?: true;
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
      /** Wall clock for the whole idea, ms. */
      limitMs?: number;
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
      /** It cost no iteration: the agent could not work, or was ended. */
      uncharged?: true;
      /** It had no turn, so it used nothing, told or not. */
      unused?: true;
      /** Agent from the configuration, and the model that it used. */
      agent?: string;
      model?: string;
      /** As the agent reported it; absent where it reported nothing. */
      usage?: Usage;
      /** The agent's last words, cut. */
      words?: string;
      /** Processes that had got away from the agent's run and were ended: program and pid. */
      escaped?: string[];
      /** How ralphctl brought the worktree back to the idea's branch, which the agent had left. */
      repaired?: string[];
    }
  /** A command of the gate begins; `merged`: on the tree that is about to land. */
  | { kind: 'gate-start'; idea: string; command: string; number: number; of: number; merged?: true }
  /** Work around an agent or a gate that may take minutes. The idea's next event ends it. */
  | { kind: 'activity'; idea: string; activity: Activity; command?: string; number?: number; of?: number }
  | {
      kind: 'gate';
      idea: string;
      /** Ran on the tree that is about to land. */
      merged?: true;
      /** It did not run again: another gate had found the same tree green, as in `gate of t-1`. */
      same?: string;
      /** In the order in which they ran; those after the first red one did not. */
      commands?: GateCommandResult[];
      /** Failing tests that pass where the idea began, and such that fail there, too. */
      newTests?: string[];
      knownTests?: string[];
      pass: boolean;
      command?: string;
      /** Of the command that failed; null: it was stopped. */
      exitCode?: number | null;
      /** Where the exit code does not say why the gate is red: the reason, to follow the command. */
      why?: string;
      /** File with the whole output of the command that failed, else of the last one. */
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
  | { kind: 'asks'; idea: string; asking: Asking; question: string /** Of the question. */; id?: string }
  | { kind: 'answered'; idea: string; text?: string; by?: Teller /** Of the question. */; id?: string; who?: string }
  /** A person's command to the run or an idea, and its outcome. */
  | {
      kind: 'command';
      verb: string;
      idea?: string;
      reason?: string;
      text?: string;
      by?: Teller;
      done: string;
      /** No run was open: it changes how the idea stands, and not what the run did. */
      afterRun?: true;
      /** The person took such commands back: the next start does not carry them out. A hint and an answer are one kind. */
      forgets?: true;
    }
  | { kind: 'refused'; verb: string; idea?: string; text?: string; by?: Teller; why: string }
  /** Hints and answers in the prompt of this agent run. */
  | { kind: 'delivered'; idea: string; serial: number; notes: number; fromProgram?: number }
  /** A person ended an agent run; it is not charged. `gate`: only the gate of this iteration, which runs again. */
  | { kind: 'interrupted'; idea: string; iteration: number; gate?: true }
  /** Its branch was deleted or renamed, perhaps with its worktree, or an abort had put work away, before it went on. */
  | { kind: 'gone'; idea: string; text: string }
  /** An earlier run left it open, and this one does not work on it: it was told to end after its iteration. */
  | { kind: 'left'; idea: string; why: string }
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
  /**
   * Its pull request is open (`landing.mode: pr`), or a look at it found news. apart: it conflicts with its base, and lands
   * again on top of it. astray: it ended with the branch below it, and lands again.
   */
  | {
      kind: 'review';
      idea: string;
      state: 'open' | 'checks' | 'comments' | 'apart' | 'astray' | 'merged' | 'closed';
      number: number;
      url: string;
      /** Who merged or closed it. */
      by?: string;
      /** Of an open one: the idea whose pull request it stands on, and the number of that. */
      below?: { idea: string; number: number };
      /** Red checks, or people who ask for changes; of an open one: what the forge refused; of a closed one: its closing comment. */
      why?: string;
    }
  /** A commit of a person took its landed work off the target, found by the landing after it. part: some files of it. */
  | { kind: 'reverted'; idea: string; by: string; text: string; part?: true }
  /** The target reached its remote, or did not (`landing.mode: push`). */
  | {
      kind: 'push';
      state: 'pushed' | 'held';
      /** Remote and branch there: `origin/main`. */
      to: string;
      commit?: string;
      /** That the remote did not have. */
      commits?: number;
      ideas: string[];
      /** Of these, the ones that landed again on top of a remote that had moved. */
      again?: string[];
      cause?: HeldCause;
      /** Why the remote does not have them, with the fix; of a push: a note. */
      why?: string;
    }
  /** An alert left for a row, rings in attached terminals, or could not be delivered. */
  | {
      kind: 'alert';
      row: string;
      state: 'delivered' | 'failed' | 'bell';
      /** How many events it tells. */
      events: number;
      why?: string;
    }
  /** What a tracker was told of an idea, or answered. `waits`: it takes nothing now, and is told later. */
  | {
      kind: 'tracker';
      idea: string;
      state: 'claimed' | 'taken' | 'told' | 'done' | 'released' | 'waits' | 'failed';
      why?: string;
    }
  /**
   * A wave (E1). empty: triage lets nothing through. waits: the source cannot be read now. over: no further wave begins.
   * `attempted` to `dollars` are of an ended wave, `taken` to `leftOut` of one that began or is empty.
   */
  | ({
      kind: 'wave';
      wave: number;
      /** `waves.maxWaves`. */
      of: number;
      state: 'began' | 'empty' | 'waits' | 'ended' | 'over';
      taken?: TakenReport[];
      /** Open reports in the source. */
      open?: number;
      /** Good reports that no wave has taken yet. */
      left?: number;
      rejected?: number;
      leftOut?: number;
      /** An agent read reports for it. */
      read?: WaveReading;
      unknownRuns?: UnknownRuns;
      end?: WavesEnd;
      why?: string;
    } & Partial<Omit<WaveSummary, 'wave'>>)
  /** Triage rejects a report (E3). */
  | ({ kind: 'rejected'; wave: number } & WaveRejection)
  /** Ralphctl removed what is older than `retention` in the configuration says. */
  | { kind: 'cleaned'; bytes: number; what: string; more?: true }
  /** A warning (B6); without an idea it is the run's. */
  | { kind: 'warning'; idea?: string; warning: WarningLine['kind']; text: string }
  /** Its cause is over, or a person has answered it. */
  | { kind: 'warning-over'; idea?: string; warning: WarningLine['kind'] };

export type StampedEvent = RunEvent & { at: string };
