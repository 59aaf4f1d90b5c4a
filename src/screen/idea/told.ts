/**
 * What files, git and the worker tell about the idea of a page.
 * Invariant: never the words of another idea or agent run. While the right ones load, there are none.
 */
import type { IdeaModel } from '../../model/model.js';
import type { IdeaDetails } from '../details.js';
import { isPast } from '../past.js';
import { costText } from '../run/run-slots.js';
import { dim, type Line, line } from '../text/line.js';
import { moneyText } from '../text/numbers.js';
import { clock } from '../text/time.js';
import type { View } from '../view.js';

/** The lines of a tab. `most`: how far its text scrolls; absent: not at all, or not known yet. */
export interface TabBody {
  lines: Line[];
  most?: number;
}

/** About the idea in the run of the page; undefined while it loads. */
export function toldOf(
  { details, ui }: Pick<View, 'details' | 'ui'>,
  { id }: Pick<IdeaModel, 'id'>,
): IdeaDetails | undefined {
  const { idea } = details;
  return idea?.id === id && idea.ofRun === (isPast(ui) ? ui.ofRun : undefined) ? idea : undefined;
}

/** Commits of its branch as git counts them; until that is known, and of what landed, those of its agent runs. */
export const commitsOf = (view: Pick<View, 'details' | 'ui'>, idea: IdeaModel): number =>
  toldOf(view, idea)?.ahead ?? idea.commits;

/** What the agent that works now has used so far, as far as its output tells. */
export function usedNow(view: Pick<View, 'details' | 'ui'>, idea: IdeaModel) {
  const last = idea.iterations.at(-1);
  const told = toldOf(view, idea);
  const now = last && last.endedAt === undefined && told?.serial === last.serial ? told : undefined;
  return { dollars: now?.dollars, tokensIn: now?.tokensIn ?? 0, tokensOut: now?.tokensOut ?? 0 };
}

/** With the agent that works now. */
export function costNow(view: Pick<View, 'details' | 'ui'>, idea: IdeaModel): string {
  const { dollars } = usedNow(view, idea);
  const { spent } = idea;
  return dollars === undefined ? costText(idea) : moneyText({ ...spent, dollars: spent.dollars + dollars });
}

/** About the shown agent run, too; undefined while it loads. */
export function toldOfRun(view: Pick<View, 'details' | 'ui'>, idea: IdeaModel): IdeaDetails | undefined {
  const told = toldOf(view, idea);
  const { serial } = idea.iterations.find((run) => run.serial === view.ui.serial) ?? idea.iterations.at(-1) ?? {};
  return told?.serial === serial ? told : undefined;
}

/** Of what was taken off: a rollback gave it a later status. An earlier run may have landed it. */
export function landedWhen({ landedAs, landedBefore, since, status }: IdeaModel, now: number): string {
  const at = landedAs?.at ?? (status === 'landed' && !landedBefore ? since : undefined);
  return at === undefined ? '' : `landed ${clock(at, now)}`;
}

export const loading = (what: string): Line => line(dim(` loading ${what} …`));
