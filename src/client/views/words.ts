/** The words that people read instead of the names on the wire. Pure. */
import type { TroubleKind } from '../../protocol/limits.js';
import { IDEA_STATUSES, type IdeaStatus } from '../../protocol/states.js';
import type { WarningLine } from '../../protocol/warnings.js';

export const stateWord = (state: string): string => (state === 'waiting_user' ? 'waits for you to start ideas' : state);

export const REFUSED: Readonly<Record<TroubleKind, string>> = {
  limited: 'is at a usage limit',
  provider: 'gets no answer from its provider',
  auth: 'needs a login',
  launch: 'does not start',
};

const WARNING: Readonly<Record<WarningLine['kind'], string>> = {
  stuck: 'stuck',
  iterations: 'iterations nearly used',
  budget: 'budget nearly used',
  outside: 'changes outside its worktree',
  worker: 'waits for a worker',
  errors: 'failures in a row',
  push: 'not pushed',
};

export const warningWord = (kind: WarningLine['kind']): string => WARNING[kind] ?? kind;

/** Undefined for the usual, which is not said. */
export const trackerProblem = (state: string): string | undefined =>
  ({ waits: 'the tracker is told later of', failed: 'the tracker refused' })[state];

/** Options that take a status take these words and the names on the wire. */
const STATUS: Partial<Record<IdeaStatus, string>> = { timeout: 'timed-out', 'needs-human': 'asks' };

export const statusNamed = (word: string): IdeaStatus | undefined =>
  IDEA_STATUSES.find((one) => one === word || STATUS[one] === word);

/** The problem with the value of such an option. */
export const unknownStatus = (option: string, word: string): string =>
  `${option} ${word}: there are ${IDEA_STATUSES.map((one) => STATUS[one] ?? one).join(', ')}`;
