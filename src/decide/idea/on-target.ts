/**
 * How an idea stands by what its target has now, against what the record of its run says. The one decision of all views
 * and commands outside an open run.
 * Invariant: pure. What the run did with the idea later counts more than an older landing of it.
 * May import protocol types only.
 */
import type { IdeaStatus } from '../../protocol/states.js';

export interface Record {
  status: IdeaStatus;
  /** An agent worked on it after its last landing and its last rollback. */
  worked: boolean;
  /** The run took it once more although it had landed, and nobody rolled it back since. */
  again: boolean;
}

export interface OnTarget {
  /** The target has a landing of it in force. */
  landed: boolean;
  /** It had landed, and nothing of its work is on the target. */
  gone: boolean;
}

/** `record`: as the record says. `landed`: its work is on the target. `off`: it landed, and its work is not there now. */
export type Stands = 'record' | 'landed' | 'off';

/** Statuses of an idea about which nothing else is to be said. */
const RESTS: ReadonlySet<IdeaStatus> = new Set(['landed', 'pending', 'skipped']);

export function standsAs({ status, worked, again }: Record, { landed, gone }: OnTarget): Stands {
  if (gone) return RESTS.has(status) && !worked ? 'off' : 'record';
  return landed && (status === 'landed' || !again) ? 'landed' : 'record';
}
