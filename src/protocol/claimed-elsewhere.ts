/** Why an idea is skipped that somebody else has in the tracker. The summary of a wave reads it again. */
import { cutAroundCommands } from './cut.js';

const SAYS = ' has it in the tracker';
const MOST_WHO = 200;

/** `by`: whoever has it, as the tracker says. `over`: the command that takes it over all the same. */
export const elsewhereText = (by: string, over?: string): string =>
  `${cutAroundCommands(by, MOST_WHO)}${SAYS}${over === undefined ? '' : `; if that one is gone: ${over}`}`;

export const isElsewhere = (reason = ''): boolean => reason.endsWith(SAYS) || reason.includes(`${SAYS}; `);
