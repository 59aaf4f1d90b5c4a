/** The keys of an idea's card. Pure. */
import type { IdeaModel } from '../../model/model.js';
import type { IdeaVerb } from '../../protocol/command.js';
import { moreText } from '../control/more.js';
import { isPast } from '../past.js';
import type { View } from '../view.js';
import { ideaVerbs } from './possible.js';

/** Keys that the run accepts now, as words. */
export function cardKeys({ model, ui }: View, idea: IdeaModel): string[] {
  const verbs = isPast(ui) ? new Set<IdeaVerb>() : ideaVerbs(model, idea);
  const keys: string[] = [];
  const add = (when: boolean, text: string): void => {
    if (when) keys.push(text);
  };
  const asks = idea.status === 'needs-human';
  add(verbs.has('approve'), 'a approve');
  add(asks && verbs.has('answer') && !verbs.has('approve'), 'a answer');
  add(idea.warnings.length > 0 && idea.status === 'running', 'c continue');
  add(verbs.has('unblock'), 'u unblock');
  add(verbs.has('retry') && idea.status !== 'blocked', 'r retry');
  add(verbs.has('hint') && !asks, verbs.has('unblock') ? 'i hint, then u' : 'i hint');
  add(verbs.has('resume'), 'p resume');
  const more = moreText(idea, verbs);
  add(more !== undefined, `+ ${more}`);
  add(verbs.has('bump') && idea.status === 'pending', 'b first');
  add(verbs.has('edit'), idea.status === 'failed' ? 'e edit, then r' : 'e edit');
  add(verbs.has('split') && !asks, 'D split');
  add(verbs.has('rollback') && (idea.status === 'landed' || idea.commits > 0), 'R roll back');
  add(idea.status === 'landed', 'd diff');
  add(idea.status === 'landed', 'y copy commit');
  add(verbs.has('cleanup') && idea.status === 'failed', 'X clean up');
  add(verbs.has('stop') && idea.status !== 'pending', 'x stop');
  add(verbs.has('abandon') && !verbs.has('stop'), 'x give up');
  return keys;
}
