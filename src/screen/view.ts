/** The input and the output of every view. */
import type { RunModel } from '../model/model.js';
import type { Details } from './details.js';
import type { Line } from './text/line.js';
import type { Theme } from './text/theme.js';
import type { Selection, Ui } from './ui.js';

/** From this number of columns on, pages have two sides. */
export const WIDE = 120;

export interface Size {
  columns: number;
  rows: number;
}

export interface View {
  model: RunModel;
  ui: Ui;
  details: Details;
  size: Size;
  theme: Theme;
  now: number;
  /** Shows long questions and reasons whole. */
  whole?: true;
  /** Wraps what a screen would cut at its edge. */
  wraps?: true;
}

export interface Picture {
  lines: Line[];
  /** Position of the terminal's cursor while a person types; 0-based. */
  cursor?: { line: number; column: number };
  /** The actual selection, when the chosen entry is gone. */
  selected?: Selection;
  /** First visible line after layout; becomes `ui.scroll`. */
  scroll?: number;
  /** How far its text scrolls; on *Needs you*, the question beside the answer. */
  most?: number;
}

export const isSame = (a: Selection, b: Selection): boolean => a.section === b.section && a.id === b.id;

/** Index of the selection in a list. For a missing entry it tries other sections, then the first line. */
export function placeOf(list: readonly Selection[], chosen: Selection | undefined): number {
  if (list.length === 0) return -1;
  if (!chosen) return 0;
  const exact = list.findIndex((one) => isSame(one, chosen));
  if (exact >= 0) return exact;
  const elsewhere = list.findIndex((one) => one.id === chosen.id);
  return Math.max(elsewhere, 0);
}

/**
 * The same for a list that ideas leave by themselves. Below 0: it has nothing of the chosen idea. Then no entry is
 * selected, because the next key would act on an idea that the person has not chosen.
 */
export function placeOrNone(
  list: readonly Selection[],
  chosen: Selection | undefined,
  ideaAt: (one: Selection) => string,
): number {
  if (!chosen) return placeOf(list, chosen);
  const place = placeOf(list, chosen);
  const found = list[place];
  if (found === undefined || found.id === chosen.id) return place;
  const idea = ideaAt(chosen);
  return idea === '' ? -1 : list.findIndex((one) => ideaAt(one) === idea);
}

/** First line of a window that shows the index, moved as little as possible. */
export function windowAt(place: number, count: number, height: number, first = 0): number {
  const last = Math.max(0, count - height);
  const at = Math.max(0, Math.min(first, last));
  if (place < 0) return at;
  if (place < at) return place;
  return place >= at + height ? Math.min(last, place - height + 1) : at;
}
