/** Words for requests to a person. */
import type { IdeaModel } from '../model/model.js';
import type { Need } from './lists.js';
import { clean } from './text.js';

/** The facts that a person needs to decide: the question, the reason, or the progress so far. */
export function needText({ idea, shown, text }: Need): string {
  if (!idea) return clean(text ?? '');
  if (shown === 'asks' || shown === 'approve') return clean(idea.question ?? idea.reason ?? '').trim();
  if (shown === 'timed out') return timedOut(idea) || clean(idea.reason ?? '');
  return clean(idea.reason ?? '');
}

/** Words of an agent without its signal line. */
export const withoutSignal = (words: string): string => words.replace(/<ralph\b[^>]*>[\s\S]*?<\/ralph>/g, '').trim();

/** `3 of 3 iterations, 60 %, gate red: npm test` */
function timedOut(idea: IdeaModel): string {
  const last = idea.iterations.at(-1);
  const most = idea.max ?? last?.max;
  if (!last || most === undefined || last.number < most) return '';
  const parts = [`${last.number} of ${most} iterations`];
  if (idea.percent !== undefined) parts.push(`${idea.percent} %`);
  if (idea.gate && !idea.gate.pass) parts.push(`gate red: ${clean(idea.gate.command ?? '')}`);
  return parts.join(', ');
}
