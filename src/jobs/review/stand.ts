/**
 * What a pull request stands on: the target, or the branch of the pull request below it (`landing.stack`).
 * Invariant: repeating it changes nothing.
 */
import { RepositoryError } from '../../git/errors.js';
import type { Below } from '../../protocol/review.js';
import { type Forge, ForgeError, type Listed } from './forge.js';

const MARK = '<!-- ralphctl stands -->';
const LINE = new RegExp(`^Stands on [^\\n]*${MARK}[\\r\\n]*`, 'm');

/** First line of its text. */
export const standsLine = ({ number, idea }: Pick<Below, 'number' | 'idea'>, { words }: Pick<Forge, 'words'>): string =>
  `Stands on ${words.sign}${number} (${idea}), which is merged first. ${MARK}\n\n`;

/** People may have changed the rest. */
export const withLine = (body: string, line: string): string =>
  LINE.test(body) ? body.replace(LINE, () => line) : line + body;

/** Branches on which ralphctl itself puts pull requests. */
export const isOurs = (base: string, target: string): boolean => base === target || base.startsWith('ralph/');

/**
 * The forge closed it because the branch below it was deleted: nobody turned it down. A branch that is gone now does not
 * say that: a person may have closed it before.
 */
export const endedWithBase = async (
  forge: Forge,
  { number, base, state }: { number: number; base: string; state: string },
  target: string,
): Promise<boolean> =>
  state === 'closed' && base !== target && isOurs(base, target) && (await forge.closedWithBase(number));

/** An open one gets its base, and its text says on what it stands. Returns the text. */
export async function stand(forge: Forge, pull: Listed, base: string, below: Below | undefined): Promise<string> {
  const body = withLine(pull.body, below ? standsLine(below, forge) : '');
  const change = { ...(pull.base === base ? {} : { base }), ...(body === pull.body ? {} : { body }) };
  if (Object.keys(change).length === 0) return body;
  await forge.change(pull.number, change).catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.later || below) throw error;
    throw new RepositoryError(
      `${forge.words.one} ${pull.number} has its commits, but cannot be moved from ${pull.base} onto ${base}: ${error.message}.`,
      `Change its base on its page: ${pull.url}`,
    );
  });
  return body;
}
