/**
 * The effects that the autopilot can ask of its workflow. The workflow does them and decides nothing itself.
 * May import protocol only.
 */
import type { Ceilings } from '../../protocol/budget.js';
import type { KnownTips } from '../../protocol/delivery.js';
import type { Verdict } from '../../protocol/idea-run.js';
import type { AgentChoice } from '../../protocol/limits.js';
import type { GitTask } from '../../protocol/states.js';

export type Effect =
  | { do: 'start'; idea: string; slot: number; choice?: AgentChoice }
  | { do: 'grant'; idea: string; slot: number; choice?: AgentChoice }
  /** The agent to use from the next iteration on. Without a choice: release the slot and wait. */
  | { do: 'agent'; idea: string; choice?: AgentChoice }
  | { do: 'verdict'; idea: string; verdict: Verdict }
  | { do: 'land'; idea: string }
  | { do: 'tell'; idea: string; signal: ChildSignal; args?: unknown[] }
  /** A git task: work on commits or the worktree of an idea without a workflow. */
  | { do: 'git-task'; idea: string; task: Exclude<GitTask, 'undo'>; force?: boolean }
  /** In the landing queue: take a landed idea off the target. */
  | { do: 'undo'; idea: string }
  /** Read a revision of the run's configuration. */
  | { do: 'configure'; revision: number; idea?: undefined }
  /** Push the target to its remote. */
  | { do: 'push'; idea?: undefined; known?: KnownTips }
  /** Look at an idea's pull request. */
  | { do: 'look'; idea: string }
  /** Read and triage the source, and choose the ideas of a wave. `again`: how many plans of it came before. */
  | { do: 'wave'; idea?: undefined; wave: number; most: number; again?: number; ceilings?: Ceilings }
  /** Stop waiting for the current landing. */
  | { do: 'cancel-landing'; idea: string };

/** Temporal signals to an idea's workflow. */
export type ChildSignal =
  | 'pause'
  | 'pauseNow'
  | 'skipStep'
  | 'resume'
  | 'stop'
  | 'abort'
  | 'hint'
  | 'answer'
  | 'approve'
  | 'edited'
  | 'setStep';

/** The outcome of a command before it runs. Must not import anything. */
export type Plan =
  /** Why the command is refused, and which commands are legal. */
  | { refusal: string }
  /** Runs the command and returns one sentence for the person. */
  | { carryOut: () => string };

export const refuse = (refusal: string): Plan => ({ refusal });
