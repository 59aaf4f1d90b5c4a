/** What an event says of landed work that a rollback took off its target, or could not. Views read it again. */

export interface TakenOff {
  target: string;
  /** Short id of the commit that took it off. */
  commit: string;
}

const BEGIN = 'it had landed, and a rollback took it off: ';
const SAYS = /^\S+ was taken off (.+?) by ([0-9a-f]+)/;

export const takenOffText = (idea: string, { target, commit }: TakenOff): string =>
  `${idea} was taken off ${target} by ${commit}`;

export const takenOffReason = (text: string): string => `${BEGIN}${text}`;

/** Undefined: the reason is another one. */
export const takenOffIn = (reason: string): TakenOff | undefined =>
  reason.startsWith(BEGIN) ? takenOffSaid(reason.slice(BEGIN.length)) : undefined;

/** Undefined: the result of the command is another one. */
export function takenOffSaid(text: string): TakenOff | undefined {
  const [, target, commit] = SAYS.exec(text) ?? [];
  return target !== undefined && commit !== undefined ? { target, commit } : undefined;
}

const FAILED = 'could not be undone: ';

export const undoFailedReason = (why: string): string => `${FAILED}${why}`;

export const UNDO_ABORTED = 'not taken off the target: the run was aborted first';

/** The event tells only that a rollback did not go through: the idea stays landed, and nothing lands. */
export const staysLanded = ({ status, reason }: { status: string; reason?: string | undefined }): boolean =>
  status === 'landed' && (reason === UNDO_ABORTED || reason?.startsWith(FAILED) === true);
