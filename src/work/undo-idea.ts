/** Takes a landed idea off the target again, its tick included. Idempotent after a crash at any point. */
import { tickBacklog } from '../backlog/tick.js';
import { undoIdea as undoOnTarget } from '../git/undo.js';
import type { UndoInput, UndoResult } from '../protocol/git-work.js';
import { tickUntracked } from '../runs/backlog-place.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { laneWork } from './lane-options.js';
import { dropPlace } from './plan-place.js';
import { asWorkError } from './prepare-idea.js';
import { cleanLanding, redactorOf } from './secrets.js';

export async function undoIdea(deps: WorkDeps, input: UndoInput, { signal }: WorkContext): Promise<UndoResult> {
  const { run, options, ticks, place } = await laneWork(deps, input, 'undo', signal);
  const untick = (text: string): string | undefined => tickBacklog(run.file.backlog.file, text, input.idea, false);
  const result = await undoOnTarget({
    ...options,
    ...(input.commit ? { commit: input.commit } : {}),
    ...(place === undefined ? {} : { backlog: { path: place, untick } }),
  }).catch(asWorkError);
  if (result.kind === 'undone') await dropPlace(deps, input);
  if (result.kind === 'undone' && ticks) await tickUntracked(run.file, input.idea, false);
  return cleanLanding(result, redactorOf(deps));
}
