/**
 * `ralphctl abandon IDEA` gives up an idea across runs; `ralphctl retry IDEA` reverses that. A run records abandoned
 * ideas at its end. These commands record them too, because a run may never reach its end.
 */

import { EXIT } from '../../../protocol/user-error.js';
import { noteAbandoned, takeBackAbandoned } from '../../../run-files/carried.js';
import { forgetKept } from '../../../run-files/kept.js';
import { lockProject } from '../../after-run/closed.js';
import { isSelection, type Selection, tellAll } from '../../after-run/select.js';
import type { Context } from '../../context.js';
import { tell } from './interventions.js';

type Said = Selection & { reason?: string };
const because = ({ reason }: Said) => (reason ? { reason } : {});

/** Without an open run the command itself writes the record, under the same lock. */
type Note = (project: string, idea: string) => Promise<void>;
const locked =
  (context: Context, write: Note): Note =>
  (project, idea) =>
    lockProject(context, project, () => write(project, idea));

export async function abandon(context: Context, idea: string | undefined, said: Said): Promise<number> {
  const { root } = context;
  const command = { verb: 'abandon' as const, ...because(said) };
  const note = locked(context, (project, id) => noteAbandoned(root, project, id, said.reason));
  if (isSelection(idea, said, 'abandon') || idea === undefined) return tellAll(context, said, command, note);
  return tell(context, { ...command, idea }, (project, code) =>
    code === EXIT.ok ? note(project, idea) : Promise.resolve(),
  );
}

export async function retry(
  context: Context,
  idea: string | undefined,
  said: Said & { fresh?: boolean },
): Promise<number> {
  const { root } = context;
  const command = { verb: 'retry' as const, ...(said.fresh ? { fresh: true } : {}), ...because(said) };
  const takeBack = locked(context, async (project, id) => {
    await takeBackAbandoned(root, project, id);
    await forgetKept(root, project, id, 'rollback');
  });
  if (isSelection(idea, said, 'retry') || idea === undefined) return tellAll(context, said, command, takeBack);
  return tell(context, { ...command, idea }, (project) => takeBack(project, idea));
}
