/** Ideas whose work the end of their run cut off: which they are, and words for them. Pure. */
import { beginsAnew } from '../model/begins-anew.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import type { RunSummary } from '../protocol/run.js';
import { statusWord } from '../protocol/states.js';
import { listsOf } from './lists.js';
import { many } from './text/numbers.js';
import { type Shown, shownOf } from './text/theme.js';

const ENDS: Readonly<Record<string, string>> = {
  stopped: 'the stop of the run ended it',
  aborted: 'the abort of the run ended it',
  terminated: 'the run was terminated while it worked',
};

/** States of an idea that is neither finished nor waits for a person. */
const OPEN = new Set<string>(['pending', 'running', 'wants-slot', 'landing', 'paused']);

/** Undefined when the run goes on, or did not cut it off. `state`: how the run ended, where its events do not say it. */
export function cutOff(model: RunModel, idea: IdeaModel, state: string = model.state): string | undefined {
  const { iterations, warnings } = idea;
  const ended = ENDS[state];
  if (ended === undefined || !isCutOff(idea)) return undefined;
  const last = iterations.at(-1);
  const percent = idea.percent === undefined ? '' : `, at ${idea.percent} %`;
  const stuck = warnings.length > 0 ? `; before that: ${warnings.map(({ text }) => text).join('; ')}` : '';
  const after = `after ${many(iterations.length, 'agent run')}`;
  return `${ended} in iteration ${last?.number ?? iterations.length}, ${after}${percent}${stuck}${pullLeft(idea)}`;
}

/** What a stopped idea leaves on the forge: the next start goes on with it. */
export const pullLeft = ({ pull }: Pick<IdeaModel, 'pull'>): string =>
  pull ? `; its pull request ${pull.number} is left open: ${pull.url}` : '';

/** Whether the end of an idea's run cut it off. The run is over. */
export function isCutOff(idea: IdeaModel): boolean {
  const { iterations, status, held, forNext, againAt = 0, off, answered } = idea;
  const last = iterations.at(-1);
  if (!OPEN.has(status) || !last) return false;
  // A person decided about it since.
  if (off || held || forNext?.leftOut || answered) return false;
  if (beginsAnew(idea)) return false;
  // It had ended before, and had not begun again.
  return last.startedAt >= againAt;
}

/** How an idea of a summary ended, in the word of the report. */
export function endWord(model: RunModel | undefined, { idea, status }: RunSummary['notLanded'][number]): string {
  const now = model?.ideas.get(idea);
  if (!model || !now) return statusWord(status);
  const asked = now.left ?? now.answered;
  if (asked) return asked.approval ? 'wants approval' : 'asks';
  if (isStopped(model, now)) return 'stopped';
  if (status !== 'pending' || now.status !== 'pending') return statusWord(status);
  return shownOf(now, undefined, listsOf(model).after.get(idea));
}

/** The end of the run cut it off, whatever people said about it since. */
export const isStopped = (model: RunModel, { atEnd, ...now }: IdeaModel): boolean =>
  cutOff(model, atEnd ?? now) !== undefined;

/** The state of an idea of the run, the same in every view. */
export const shownIn = (model: RunModel, idea: IdeaModel): Shown =>
  cutOff(model, idea) === undefined ? shownOf(idea, model.landing, listsOf(model).after.get(idea.id)) : 'stopped';
