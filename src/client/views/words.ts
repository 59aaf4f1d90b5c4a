/** The words that options take for the names on the wire. Pure. */
import { IDEA_STATUSES, type IdeaStatus } from '../../protocol/states.js';

/** Options that take a status take these words and the names on the wire. */
const STATUS: Partial<Record<IdeaStatus, string>> = { timeout: 'timed-out', 'needs-human': 'asks' };

export const statusNamed = (word: string): IdeaStatus | undefined =>
  IDEA_STATUSES.find((one) => one === word || STATUS[one] === word);

/** The problem with the value of such an option. */
export const unknownStatus = (option: string, word: string): string =>
  `${option} ${word}: there are ${IDEA_STATUSES.map((one) => STATUS[one] ?? one).join(', ')}`;
