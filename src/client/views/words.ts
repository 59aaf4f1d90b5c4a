/** The words that options take for the names on the wire. Pure. */
import { IDEA_STATUSES, type IdeaStatus, statusWord } from '../../protocol/states.js';

/** A status as an option names it: the word of the views, in one piece. */
export const statusOption = (status: IdeaStatus): string => statusWord(status).replaceAll(' ', '-');

export const STATUS_OPTIONS: readonly string[] = IDEA_STATUSES.map(statusOption);

/** Options that take a status take these words and the names on the wire. */
export const statusNamed = (word: string): IdeaStatus | undefined =>
  IDEA_STATUSES.find((one) => one === word || statusOption(one) === word);

/** The problem with the value of such an option. */
export const unknownStatus = (option: string, word: string): string =>
  `${option} ${word}: there are ${STATUS_OPTIONS.join(', ')}`;
