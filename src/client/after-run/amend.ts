/** `edit` and `split` while no run is open. The next start reads the idea with the change. */
import { toCard } from '../../backlog/cards.js';
import { singleAttempt } from '../../decide/idea/amendments.js';
import type { Idea } from '../../protocol/idea.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { type AmendedFields, type Amendment, amend, forget } from '../../run-files/amendments.js';
import { print, printJson } from '../context.js';
import { recordCommand } from './act.js';
import { assertAccepts, type Closed, closedIdea, startOf } from './closed.js';

/**
 * The idea with its earlier changes.
 * @throws UserError when the next start does not run it, or it accepts no change
 */
export async function ideaOfNextRun(closed: Closed, id: string, verb: 'edit' | 'split'): Promise<Idea> {
  const known = await closedIdea(closed, id, { planned: true });
  await assertAccepts(closed, known, verb);
  if (known.idea) return known.idea;
  // A backlog that could not be read may have it.
  await closed.startable();
  throw new UserError(
    `the backlog no longer has ${id}, so the next start does not run it. Add it to the backlog first`,
    EXIT.refused,
  );
}

interface Change {
  verb: 'edit' | 'split';
  change: Pick<Amendment, 'fields' | 'parts'>;
  reason?: string;
}

/** @throws UserError where a new limit of iterations would have no effect */
export function assertIterationsCount(idea: Idea, { maxIterations }: AmendedFields): void {
  if (maxIterations !== undefined && toCard(idea).single)
    throw new UserError(`${singleAttempt(idea.id, false)}. The idea is unchanged`, EXIT.refused);
}

export async function amendWithoutRun(closed: Closed, idea: Idea, { verb, change, reason }: Change): Promise<number> {
  const { context, project } = closed;
  assertIterationsCount(idea, change.fields ?? {});
  // A change to an older text of the backlog no longer applies.
  if ((await closed.plan())?.amended.stale.includes(idea.id)) await forget(context.root, project, idea.id);
  await amend(context.root, project, idea, change);
  const parts = change.parts?.map(({ id }) => id).join(', ');
  const effect = parts ? `${idea.id} is replaced by ${parts}` : `${idea.id} is changed`;
  const done = `${effect} for the next runs, until the backlog file has a new text for it. No run is open. Start one with: ${startOf(closed)}. To drop the ${verb}: ralphctl ${verb} ${idea.id} --forget`;
  await recordCommand(closed, { id: idea.id, title: idea.title }, { verb, ...(reason ? { reason } : {}), done });
  if (context.json) printJson({ done, verb, idea: idea.id, worker: false, run: false });
  else print(done);
  return EXIT.ok;
}
