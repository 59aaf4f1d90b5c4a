/**
 * The slots of a run as its views name them. An idea that waits for an approval keeps its slot, and stands under *Needs
 * you* alone: nobody paused it.
 * May import protocol and decide only.
 */
import type { IdeaLine, RunStatus } from '../../protocol/views.js';

export interface SlotsView {
  /** `Slots (3 of 3; 2 wait for your approval; 1 at the gate beside them)` */
  title: string;
  lines: IdeaLine[];
  /** All lines, also those that the bounded list left out. */
  total: number;
}

type Seen = Pick<RunStatus, 'active' | 'slots' | 'counts' | 'approvals'>;

export function slotsView({ active, slots, counts, approvals = 0 }: Seen): SlotsView {
  const taken = active.filter(({ agentName, beside }) => agentName !== undefined && !beside);
  const gates = active.filter(({ beside, gating }) => beside && gating !== undefined).length;
  const paused = active.filter(({ beside, status }) => beside && status === 'paused').length;
  const waiting = taken.filter(({ approval }) => approval).length;
  const wait = waiting === 0 ? '' : `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for your approval`;
  const gated = gates === 0 ? '' : `; ${gates} at the gate beside them`;
  const rests = paused === 0 ? '' : `; ${paused} paused beside them`;
  return {
    title: `Slots (${taken.length} of ${slots}${wait}${gated}${rests})`,
    lines: active.filter(({ approval }) => !approval),
    total: counts.running + counts.paused + counts['wants-slot'] + counts.landing - approvals,
  };
}
