/** `+`: more of what an idea ran out of. Pure. */
import { ranOutOf } from '../../decide/idea/completion.js';
import type { IdeaModel } from '../../model/model.js';
import type { IdeaVerb } from '../../protocol/command.js';
import type { Wish } from './verbs.js';

const USED = /(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:[\d.]+s)? of working time used/;

/** Word of the key: `more iterations`, `more time`. */
export const moreText = ({ status, reason }: IdeaModel): string =>
  status === 'timeout' && ranOutOf(reason) === 'time' ? 'more time' : 'more iterations';

/** Whether the key helps the idea. */
export const mayHaveMore = ({ status, reason }: IdeaModel): boolean =>
  status === 'running' || (status === 'timeout' && ranOutOf(reason) !== 'one run');

/** `only`: a wish that the idea accepts now, else its refusal. */
export function moreOf({ id, status, reason }: IdeaModel, only: (verb: IdeaVerb, wish: Wish) => Wish): Wish {
  const out = status === 'timeout' ? ranOutOf(reason) : 'iterations';
  if (out === 'one run') {
    const text = `more iterations do not help ${id}: its agent run was too long. r tries it again; for longer runs first: ralphctl edit ${id} --iteration-timeout MINUTES`;
    return { refused: text, own: text };
  }
  if (out === 'iterations')
    return only('limit', { type: `more iterations for ${id}`, args: ['limit', id], start: '5' });
  const [, days = '0', hours = '0', minutes = '0'] = USED.exec(reason ?? '') ?? [];
  const used = Math.max(1, (Number(days) * 24 + Number(hours)) * 60 + Number(minutes));
  return only('edit', {
    ...{ type: `minutes of work for ${id}`, start: `${2 * used}`, note: `it used up ${used}; then it is tried again` },
    ...{ args: ['edit', id, '--timeout'], next: ['retry', id] },
  });
}
