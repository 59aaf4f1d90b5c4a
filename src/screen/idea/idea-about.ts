/** Facts about an idea's place in the run: score, branch, ideas that wait for it, messages. */
import type { IdeaModel } from '../../model/model.js';
import { UNDELIVERED } from '../../protocol/command.js';
import { waitingFor } from '../lists.js';
import { clean, someOf } from '../text/text.js';
import { clock } from '../text/time.js';
import type { View } from '../view.js';
import { runName } from '../words/idea-words.js';
import { isAtWork } from './idea-upper.js';
import { afterText, partOfText } from './relations.js';
import { chosenRun } from './timeline.js';
import { commitsOf, toldOf } from './told.js';

/** Score, branch and waiting ideas; on the timeline, the effect of a key. */
export function messageOf(view: View, idea: IdeaModel): { left: string; right: string } {
  const { ui, now, size, theme } = view;
  if (size.columns < 120 && ui.tab === 'timeline')
    return {
      left: `${theme.ascii ? 'Enter' : '↵'} opens this agent run: its words, its prompt, its gate`,
      right: idea.startedAt === undefined ? '' : `begun ${clock(idea.startedAt, now)}`,
    };
  const run = ui.serial === undefined ? undefined : chosenRun(idea, ui.serial);
  if (run)
    return {
      left: `${runName(run)}: its words are on Agent, its prompt on Task, its gate on Gate`,
      right: 'Esc the newest',
    };
  if (size.columns >= 120) return { left: whyAgain(idea), right: '' };
  const parts = standingParts(view, idea)
    .filter(({ name }) => ['score', 'branch', 'unblocks'].includes(name))
    .map(({ name, text }) => `${name} ${text}`);
  return { left: parts.join('   '), right: '' };
}

/** Says why another iteration follows a COMPLETE. */
function whyAgain(idea: IdeaModel): string {
  const before = idea.iterations.at(-2);
  const last = idea.iterations.at(-1);
  if (!before || !last || last.endedAt !== undefined || before.signal?.kind !== 'complete') return '';
  if (before.turnedDown !== undefined)
    return `iteration ${before.number} said COMPLETE, which was turned down: ${clean(before.turnedDown)}`;
  return before.gate && !before.gate.pass
    ? `iteration ${before.number} said COMPLETE, but the gate is red: the failure is in the prompt of this one`
    : '';
}

export function standingParts(view: View, idea: IdeaModel): { name: string; text: string }[] {
  const { model } = view;
  const parts: { name: string; text: string }[] = [];
  const add = (name: string, text: string): void => {
    if (text !== '') parts.push({ name, text });
  };
  add('part of', partOfText(model, idea));
  add('unblocks', someOf(5, waitingFor(model, idea.id)));
  add('after', afterText(model, idea));
  const why = toldOf(view, idea)?.why;
  const score = why?.score ?? model.live?.scores?.[idea.id];
  if (score !== undefined) {
    const sum = why?.parts.map(({ label, value }) => `${clean(label)} (${value < 0 ? '' : '+'}${value})`).join(', ');
    add('score', `${score}${sum ? ` = ${sum}` : ''}`);
  }
  for (const one of why?.waitsFor ?? []) add('waits for', clean(one));
  add('stack', clean(why?.stack ?? ''));
  const ahead = commitsOf(view, idea);
  add(
    'branch',
    (ahead > 0 && idea.status !== 'landed' && idea.landedAs === undefined) || isAtWork(idea)
      ? `ralph/${idea.id}${ahead > 0 ? `, ${ahead} ahead` : ''}`
      : '',
  );
  if (idea.merged) add('merged', `by hand as ${idea.merged.slice(0, 8)}`);
  const said = idea.said.at(-1);
  add('you said', said ? `${said.undelivered ? `${UNDELIVERED}: ` : ''}${clean(said.text ?? said.verb)}` : '');
  return parts;
}
