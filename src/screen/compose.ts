/**
 * The whole screen as lines, from what is known and what the person has chosen.
 * Invariant: pure; never more than rows - 1 lines, none wider than the columns, whatever a run contains. A terminal
 * scrolls when its last line is written, therefore that line stays empty.
 */
import type { RunModel } from '../model/model.js';
import type { Details } from './details.js';
import { within } from './line.js';
import { runView } from './run.js';
import { isSmallSize, isTooSmall, smallView, tooSmall } from './run-small.js';
import { type Theme, themed } from './theme.js';
import type { Ui } from './ui.js';
import type { Picture, Size, View } from './view.js';

export function compose(model: RunModel, ui: Ui, details: Details, size: Size, theme: Theme, now: number): Picture {
  const view: View = { model, ui, details, size, theme, now };
  const picture = isTooSmall(size) ? { lines: tooSmall(size.columns) } : shown(view);
  const lines = picture.lines
    .slice(0, Math.max(1, size.rows - 1))
    .map((one) => themed(within(one, Math.max(1, size.columns)), theme));
  return { ...picture, lines };
}

function shown(view: View): Picture {
  if (isSmallSize(view.size)) return smallView(view);
  return runView(view);
}
