/** Commands that take one idea, or all ideas of some statuses. Invariant: imports nothing heavy. */
import { InvalidArgumentError } from 'commander';
import type { IdeaVerb, Intervention } from '../../protocol/command.js';
import type { Selection } from '../after-run/select.js';
import type { Context } from '../context.js';

export interface Several extends Selection {
  reason?: string;
  forget?: boolean;
}

/** One idea, or all of some statuses. */
export async function tellSome(
  context: Context,
  idea: string | undefined,
  command: Omit<Intervention, 'idea'> & { verb: IdeaVerb },
  said: Several,
): Promise<number> {
  const { isSelection, tellAll } = await import('../after-run/select.js');
  const told = { ...command, ...(said.reason ? { reason: said.reason } : {}) };
  if (isSelection(idea, said, command.verb) || idea === undefined) return tellAll(context, said, told);
  return (await import('../commands/interventions.js')).tell(context, { ...told, idea });
}

export const WHERE = 'all ideas of this status, repeatable (failed, timeout, blocked, skipped …)';
export const FORGET = 'drop what the next start would carry over';

export const given = (n: number | undefined, example: string): number => {
  if (n === undefined) throw new InvalidArgumentError(`Give a number: ralphctl ${example}`);
  return n;
};
