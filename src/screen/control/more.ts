/** `+`: more of what an idea ran out of. Pure. */
import { singleAttempt } from '../../decide/idea/amendments.js';
import { ranOutOf } from '../../decide/idea/completion.js';
import type { IdeaModel } from '../../model/model.js';
import type { IdeaVerb } from '../../protocol/command.js';
import type { Wish } from './verbs.js';

const MINUTE = 60_000;

/** Word of the key: `more iterations`, `more time`. Undefined: the key does not help the idea. */
export function moreText({ status, reason, single }: IdeaModel, verbs: ReadonlySet<IdeaVerb>): string | undefined {
  if (status !== 'running' && status !== 'timeout') return undefined;
  const out = status === 'timeout' ? ranOutOf(reason) : 'iterations';
  if (out === 'time') return verbs.has('edit') ? 'more time' : undefined;
  return out === 'iterations' && !single && verbs.has('limit') ? 'more iterations' : undefined;
}

/** `only`: a wish that the idea accepts now, else its refusal. `again`: it takes a retry now. */
export function moreOf(
  { id, status, reason, single, limitMs }: IdeaModel,
  only: (verb: IdeaVerb, wish: Wish) => Wish,
  again: boolean,
): Wish {
  const out = status === 'timeout' ? ranOutOf(reason) : 'iterations';
  const refused = (text: string): Wish => ({ refused: text, own: text });
  if (out === 'one run')
    return refused(
      `more iterations do not help ${id}: its agent run was too long. r tries it again; for longer runs first: ralphctl edit ${id} --iteration-timeout MINUTES`,
    );
  if (out === 'iterations' && single) return refused(singleAttempt(id, again));
  if (out === 'iterations')
    return only('limit', { type: `more iterations for ${id}`, args: ['limit', id], start: '5' });
  // Events of older versions do not say its limit.
  const had = limitMs === undefined ? undefined : Math.max(1, Math.round(limitMs / MINUTE));
  const then = 'then it is tried again';
  return only('edit', {
    type: `minutes of work for ${id}`,
    ...(had === undefined ? { note: then } : { start: `${2 * had}`, note: `it used up ${had}; ${then}` }),
    ...{ args: ['edit', id, '--timeout'], next: ['retry', id] },
  });
}
