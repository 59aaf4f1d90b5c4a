/** The words that options take for the names on the wire. Pure. */
import {
  type ChosenStatus,
  IDEA_STATUSES,
  type IdeaStatus,
  SHOWN_STATUSES,
  statusWord,
} from '../../protocol/states.js';

/** A status as an option names it: the word of the views, in one piece. */
export const statusOption = (status: ChosenStatus): string =>
  isShown(status) ? status : statusWord(status).replaceAll(' ', '-');

const isShown = (status: ChosenStatus): status is Exclude<ChosenStatus, IdeaStatus> =>
  (SHOWN_STATUSES as readonly string[]).includes(status);

const CHOSEN: readonly ChosenStatus[] = [...IDEA_STATUSES, ...SHOWN_STATUSES];

export const STATUS_OPTIONS: readonly string[] = CHOSEN.map(statusOption);

/** Options that take a status take these words and the names on the wire. */
export const statusNamed = (word: string): ChosenStatus | undefined =>
  CHOSEN.find((one) => one === word || statusOption(one) === word);

/** The problem with the value of such an option. */
export const unknownStatus = (option: string, word: string): string =>
  `${option} ${word}: there are ${STATUS_OPTIONS.join(', ')}`;
