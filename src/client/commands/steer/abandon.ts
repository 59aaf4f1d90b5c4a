/**
 * `ralphctl abandon IDEA` gives up an idea across runs; `ralphctl retry IDEA` reverses that. A run records abandoned
 * ideas at its end. These commands record them too, because a run may never reach its end.
 */

import { EXIT } from '../../../protocol/user-error.js';
import { noteAbandoned, takeBackAbandoned } from '../../../run-files/carried.js';
import { forgetKept } from '../../../run-files/kept.js';
import { isSelection, type Selection, tellAll } from '../../after-run/select.js';
import { type Context, findProjectId } from '../../context.js';
import { tell } from './interventions.js';

type Said = Selection & { reason?: string };
const because = ({ reason }: Said) => (reason ? { reason } : {});

export async function abandon(context: Context, idea: string | undefined, said: Said): Promise<number> {
  const { root } = context;
  const command = { verb: 'abandon' as const, ...because(said) };
  const note = (project: string, id: string): Promise<void> => noteAbandoned(root, project, id, said.reason);
  if (isSelection(idea, said, 'abandon') || idea === undefined) return tellAll(context, said, command, note);
  const code = await tell(context, { ...command, idea });
  if (code === EXIT.ok) await note(await findProjectId(context), idea);
  return code;
}

export async function retry(
  context: Context,
  idea: string | undefined,
  said: Said & { fresh?: boolean },
): Promise<number> {
  const { root } = context;
  const command = { verb: 'retry' as const, ...(said.fresh ? { fresh: true } : {}), ...because(said) };
  const takeBack = async (project: string, id: string): Promise<void> => {
    await takeBackAbandoned(root, project, id);
    await forgetKept(root, project, id, 'rollback');
  };
  if (isSelection(idea, said, 'retry') || idea === undefined) return tellAll(context, said, command, takeBack);
  const code = await tell(context, { ...command, idea });
  await takeBack(await findProjectId(context), idea);
  return code;
}
