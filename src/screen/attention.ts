/** How the screen calls a person who looks elsewhere: the terminal's title, and one bell. Invariant: pure. */
import type { RunModel } from '../model/model.js';
import { listsOf } from './lists.js';

/** `ralph shop 11/24 ?3` */
export function titleOf(model: RunModel): string {
  const { name, counts } = model;
  const needs = listsOf(model).needs.length;
  return `ralph ${name} ${counts.landed}/${counts.total}${needs > 0 ? ` ?${needs}` : ''}`;
}

/**
 * What calls a person now. Not a number: between two frames one question may be answered elsewhere and another one come.
 * A stop leaves a question open, under its id.
 */
export const callsOf = (model: RunModel): ReadonlySet<string> =>
  new Set(
    listsOf(model).needs.map(({ id, shown, idea }) =>
      [id, shown, idea?.questionId ?? idea?.left?.questionId ?? ''].join(' '),
    ),
  );

export interface Waiting {
  /** Undefined: not known yet. */
  before: ReadonlySet<string> | undefined;
  now: ReadonlySet<string>;
  focused: boolean;
  /** Whether the person wants a bell at all. */
  bell: boolean;
}

/** For something new, and only in a terminal that the person does not look at. */
export const rings = ({ before, now, focused, bell }: Waiting): boolean =>
  bell && !focused && before !== undefined && [...now].some((one) => !before.has(one));
