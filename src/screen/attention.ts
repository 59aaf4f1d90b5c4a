/** How the screen calls a person who looks elsewhere: the terminal's title, and one bell. Invariant: pure. */
import type { RunModel } from '../model/model.js';
import { listsOf } from './lists.js';

/** `ralph shop 11/24 ?3` */
export function titleOf(model: RunModel): string {
  const { name, counts } = model;
  const needs = listsOf(model).needs.length;
  return `ralph ${name} ${counts.landed}/${counts.total}${needs > 0 ? ` ?${needs}` : ''}`;
}

export interface Waiting {
  /** Items that need a person; -1: not known yet. */
  before: number;
  now: number;
  focused: boolean;
  /** Whether the person wants a bell at all. */
  bell: boolean;
}

/** For something new, and only in a terminal that the person does not look at. */
export const rings = ({ before, now, focused, bell }: Waiting): boolean =>
  bell && before >= 0 && now > before && !focused;
