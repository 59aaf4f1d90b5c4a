/**
 * Why a running run stands still: a person paused or held what is left. `status`, the full screen and the Web UI say it
 * in the same words.
 * May import protocol and decide only.
 */
import type { ShownState } from '../../protocol/states.js';
import type { IdeaLine, RunStatus } from '../../protocol/views.js';

/**
 * What waits for a person, and what rests because a person put it on hold. The full screen, `status` and the Web UI list
 * and count both alike: a held idea asks nothing.
 */
export function needsAndHeld({ attention, held = [] }: Pick<RunStatus, 'attention' | 'held'>): {
  needs: IdeaLine[];
  held: IdeaLine[];
} {
  const rests = (line: IdeaLine): boolean => line.held === true && line.status === 'pending' && line.approval !== true;
  return { needs: attention.filter((line) => !rests(line)), held: [...attention.filter(rests), ...held] };
}

/** `nothing runs: 1 paused, 1 held` */
export function restingText({ paused, held }: { paused: number; held: number }): string {
  const parts = [paused > 0 ? `${paused} paused` : '', held > 0 ? `${held} held` : ''];
  return `nothing runs: ${parts.filter((one) => one !== '').join(', ')}`;
}

type Seen = Pick<RunStatus, 'counts' | 'next' | 'active' | 'attention' | 'held'> & { state: ShownState };

/** `first`: the idea to resume first. Undefined while an idea works, lands, waits for a slot or can start. */
export function nothingRuns({
  state,
  counts,
  next,
  active,
  ...lists
}: Seen): { text: string; first: string } | undefined {
  if (state !== 'running' || counts.running + counts.landing + counts['wants-slot'] + next.length > 0) return undefined;
  const paused = active.filter((one) => one.status === 'paused' && !one.approval);
  const { held } = needsAndHeld(lists);
  const first = [...paused, ...held][0];
  return first && { text: restingText({ paused: paused.length, held: held.length }), first: first.id };
}
