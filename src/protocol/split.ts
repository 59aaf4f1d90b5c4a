/** What the events of a run say of an idea that was replaced by its parts. Views read it again. */

const REASON = 'split into ';
const DONE = 'is replaced by ';

export const splitReason = (parts: readonly string[]): string => `${REASON}${parts.join(', ')}`;

export const splitDone = (idea: string, parts: readonly string[]): string => `${idea} ${DONE}${parts.join(', ')}`;

/** Of an idea that is pending. */
export const saysSplit = (reason: string | undefined): boolean => reason?.startsWith(REASON) === true;

/** The result of the command, which is the only event where the idea was pending before. */
export const splitsNow = (idea: string, done: string): boolean => done.startsWith(`${idea} ${DONE}`);
