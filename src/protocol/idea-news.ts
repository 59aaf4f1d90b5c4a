/** Events of an idea that tell nothing new, or whose verb nobody gave. Types only. */
import type { RunEvent } from './events.js';

type Of<Kind extends RunEvent['kind']> = Extract<RunEvent, { kind: Kind }>;

/** What the run says of an idea that rests. It says the same again when work on its commits begins. */
export function restKey({ status, reason, commit, held, approval }: Rest): string | undefined {
  if (status === 'running' || status === 'landing') return undefined;
  return JSON.stringify([status, reason, commit, held === true, approval === true]);
}

type Rest = Pick<Of<'idea'>, 'status' | 'reason' | 'commit'> & { held?: boolean; approval?: boolean };

/** A person asked for `retry --fresh`; the run does it with a rollback of the branch, and tells the result of that. */
export const beginsAgain = ({ verb, idea, by, done }: Of<'command'>): boolean =>
  verb === 'rollback' && idea !== undefined && by === undefined && done.startsWith(`${idea} begins again on `);
