/**
 * Commands that the next start carries out: keeps each one, and says so.
 * Invariant: like `act.ts`, under the lock of the closed project. A command that is kept already changes nothing.
 */
import type { KeptCommand } from '../../protocol/activities.js';
import { many } from '../../protocol/many.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { hasKept, keep } from '../../run-files/kept.js';
import type { About, Outcome } from './act.js';
import { type Closed, type ClosedIdea, startOf } from './closed.js';

export const ALREADY = ' already, so this changes nothing';

export async function keptSays(closed: Closed, about: ClosedIdea, command: About): Promise<Outcome> {
  const { verb, idea: id } = command;
  const next = `No run is open. Start one with: ${startOf(closed, about)}`;
  switch (verb) {
    case 'unblock':
    case 'skip':
    case 'skip-step':
    case 'bump':
    case 'score': {
      const nothing = await isKept(closed, command, verb);
      if (!nothing) await keepOne(closed, command, verb);
      const done = `${KEPT_WORDS[verb](id, command.n)}${nothing ? ALREADY : ''}. ${next}`;
      return { done, ...(nothing ? { nothing } : {}) };
    }
    case 'limit': {
      const { n = 0 } = await keepOne(closed, command, verb);
      return { done: `${id} may use ${many(n, 'more iteration')} than its limit from the next run on. ${next}` };
    }
    default:
      throw new UserError(`${verb} needs an open run. ${next}`, EXIT.noRun);
  }
}

const KEPT_WORDS = {
  unblock: (id: string) => `${id} is queued again`,
  skip: (id: string) => `the next run leaves ${id} out`,
  'skip-step': (id: string) => `${id} skips its current step when it starts`,
  bump: (id: string) => `${id} is ahead of all other ready ideas in the next run`,
  score: (id: string, n = 0) => `${id} has ${many(n, 'point')} from you in the next run`,
};

export async function isKept({ context, project }: Closed, { idea, n, reason }: About, verb: KeptCommand['verb']) {
  return hasKept(context.root, project, idea, { verb, n, reason });
}

export function keepOne({ context, project }: Closed, { idea, n, reason }: About, verb: KeptCommand['verb']) {
  const at = new Date().toISOString();
  return keep(context.root, project, idea, {
    verb,
    at,
    ...(n === undefined ? {} : { n }),
    ...(reason ? { reason } : {}),
  });
}
