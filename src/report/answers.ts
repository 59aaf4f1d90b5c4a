/** What the person answered to the questions of ideas, as rows of a report. Pure. */

import type { IdeaModel, Said } from '../model/model.js';
import { upToMore } from '../protocol/up-to-more.js';
import { clean, cut } from '../screen/text/text.js';
import { lasted } from '../screen/text/time.js';
import type { Extra } from './extra.js';
import type { Report } from './schema.js';

type Look = Report['look'];

/** Cells of a question and of an answer. */
const LONGEST = 60;
/** Rows without `all`. */
const MOST_ANSWERS = 5;
const KIND = 'answer';

const firstWords = (text: string): string => `"${cut(clean(text).trim(), LONGEST)}"`;

/** A row for each answer, in the order in which they were given. */
export function answerRows(ideas: readonly IdeaModel[], extra: Extra): Look {
  return ideas
    .flatMap(({ id, said }) =>
      said.flatMap((one) => (one.verb === 'answer' && one.done !== undefined && !one.takenBack ? [{ id, one }] : [])),
    )
    .sort((a, b) => a.one.at - b.one.at)
    .map(({ id, one }) => ({ kind: KIND, text: answerText(id, one, extra) }));
}

function answerText(id: string, { at, question, text }: Said, { night }: Extra): string {
  const wait = night?.waits.findLast(({ idea, from }) => idea === id && from <= at);
  const asked = question ? ` ${firstWords(question)}` : '';
  const answered = text ? ` ${firstWords(text)}` : '';
  return `${id} asked${asked}: you answered${answered}${wait ? ` after ${lasted(at - wait.from)}` : ''}`;
}

/** Long lists of answers are shortened, with `whole`: the command that prints all of them. */
export function withFewAnswers(look: Look, whole: string): Look {
  const answers = look.filter(({ kind }) => kind === KIND);
  const left = answers.slice(upToMore(MOST_ANSWERS, answers).length);
  if (left.length === 0) return look;
  return look.flatMap((row) => {
    if (row === left[0]) return [{ kind: KIND, text: `… ${left.length} more: ${whole}` }];
    return left.includes(row) ? [] : [row];
  });
}
