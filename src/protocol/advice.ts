/** The advice of ralphctl to an agent that makes no progress. What is kept for the next run is read again by its words. */
const SAYS = 'iterations in a row made no progress on this task';

/** The beginning of each advice. */
export const noProgressFor = (iterations: number): string => `${iterations} ${SAYS}`;

/** Whether a note is such advice: nobody gave it. */
export const isAdvice = (note: string): boolean => new RegExp(`^\\d+ ${SAYS}\\. `).test(note);
