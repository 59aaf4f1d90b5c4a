/** An idea workflow as a random world keeps it, and what it can be sent. */
import type { Effect } from '../../../src/decide/run/autopilot.js';
import type { IdeaReport } from '../../../src/protocol/idea-run.js';

export type Message =
  | { do: 'start'; life: number; agent: string }
  | { do: 'resync' }
  | Exclude<Effect, { do: 'start' | 'configure' | 'push' | 'look' | 'wave' }>;
export type ChildState =
  | 'working'
  | 'settling'
  | 'gating'
  | 'paused'
  | 'asking'
  | 'waiting-slot'
  | 'landing'
  | 'closing';

export interface Child {
  idea: string;
  life: number;
  seq: number;
  state: ChildState;
  agent: string;
  paused: boolean;
  stopping: boolean;
  /** It was told with the run: what is finished still lands. */
  draining?: boolean;
  /** It was stopped by itself, not with the run. */
  alone?: boolean;
  /** It gave its slot back for its gate. */
  slotless?: boolean;
  /** Paused without a slot. */
  besidePause?: boolean;
  last?: IdeaReport;
}

/** What a child that an earlier run left behind said last. */
export const LAST = {
  working: 'resumed',
  settling: 'resumed',
  gating: 'gating',
  paused: 'paused',
  asking: 'needs-human',
  'waiting-slot': 'wants-slot',
  landing: 'ready',
  closing: 'closed',
} as const;
