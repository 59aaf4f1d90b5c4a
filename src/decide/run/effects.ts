/**
 * What the autopilot may ask its workflow to do. The workflow carries these out and decides nothing itself.
 * May import protocol only.
 */
import type { Verdict } from '../../protocol/idea-run.js';
import type { AgentChoice } from '../../protocol/limits.js';
import type { GitTask } from '../../protocol/states.js';

export type Effect =
  | { do: 'start'; idea: string; slot: number; choice?: AgentChoice }
  | { do: 'grant'; idea: string; slot: number; choice?: AgentChoice }
  /** Which agent to use from the next iteration on; without a choice: give the slot back and wait. */
  | { do: 'agent'; idea: string; choice?: AgentChoice }
  | { do: 'verdict'; idea: string; verdict: Verdict }
  | { do: 'land'; idea: string }
  | { do: 'tell'; idea: string; signal: ChildSignal; args?: unknown[] }
  /** Work on commits or worktree of an idea that has no workflow. */
  | { do: 'errand'; idea: string; errand: Exclude<GitTask, 'undo'>; force?: boolean }
  /** In the landing lane: take a landed idea off the target. */
  | { do: 'undo'; idea: string }
  /** Read a revision of the run's configuration. */
  | { do: 'configure'; revision: number; idea?: undefined }
  /** The landing that is under way is not waited for. */
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

/** What a command comes to before it is done. Must not import anything. */
export type Plan =
  /** Why not, and what would be legal. */
  | { refusal: string }
  /** Does it; returns one sentence for the person. */
  | { carryOut: () => string };

export const refuse = (refusal: string): Plan => ({ refusal });
