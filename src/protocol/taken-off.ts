/** What an event of the last run says of landed work that a rollback took off its target afterwards. Views read it again. */

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
