/**
 * Legal commands that would change nothing about an idea (C1).
 * Invariant: they are refused where a person sends them, not where a run carries them out: histories of open runs contain
 * them. May import protocol types only.
 */
import type { IdeaVerb } from '../../protocol/command.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { RunState } from '../../protocol/states.js';

/** Why the command would change nothing; undefined where it has an effect. */
export function idleFor(entry: IdeaEntry, verb: IdeaVerb, run: RunState): string | undefined {
  const { id } = entry.card;
  switch (verb) {
    case 'resume':
      return entry.approval && !goesOn(entry) ? `${id} waits for an approval: ralphctl approve ${id}` : undefined;
    case 'pause':
      if (entry.after?.do === 'hold') return `${id} already stops after its running step`;
      if (entry.pauseAsked && !rests(entry, run))
        return `${id} already pauses after its running step. To pause it now: ralphctl pause ${id} --now`;
      return rests(entry, run) ? isPaused(id) : undefined;
    case 'pause-now':
      return rests(entry, run) ? isPaused(id) : undefined;
    case 'stop':
      return entry.after?.do === 'hold' ? `${id} already stops after its running step` : undefined;
    default:
      return undefined;
  }
}

/** Whether a `resume` of the idea alone has an effect. */
export const goesOn = ({ hold, status, approval, pauseAsked }: IdeaEntry): boolean =>
  hold === true || pauseAsked === true || (status === 'paused' && !approval);

const isPaused = (id: string): string => `${id} is already paused. Resume with: ralphctl resume ${id}`;

/** Paused, and nothing has told it to resume. What waits for an approval has only that before it. */
function rests({ status, approval, returns, told, alone }: IdeaEntry, run: RunState): boolean {
  if (status !== 'paused' || approval || returns) return false;
  const works = alone === true || run === 'running' || run === 'waiting_user';
  // It has not reported yet.
  return !(works && told?.verb === 'resume');
}
