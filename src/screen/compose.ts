/**
 * Composes the whole screen as lines, from the facts and the person's choices.
 * Invariant: pure; at most rows - 1 lines, none wider than the columns, for any run. A terminal scrolls after output to
 * its last line, so that line stays empty.
 */
import type { RunModel } from '../model/model.js';
import { withWholeMessage } from './bottom.js';
import type { Details } from './details.js';
import { ideaView, pagePlaces } from './idea/idea.js';
import { helpView } from './pages/help.js';
import { historyPlaces, historyView } from './pages/history.js';
import { ideaPlaces, ideasView } from './pages/ideas.js';
import { logPlaces, logView } from './pages/log.js';
import { needPlaces, needsView } from './pages/needs.js';
import { textView } from './pages/report-page.js';
import { detailsShown, loadingRun, runShown } from './past.js';
import { runPlaces, runView } from './run/run.js';
import { isSmallSize, isTooSmall, smallPlaces, smallView, tooSmall } from './run/run-small.js';
import { type Line, within } from './text/line.js';
import { clean, isUnsafe } from './text/text.js';
import { type Theme, themed } from './text/theme.js';
import type { Selection, Ui } from './ui.js';
import type { Picture, Size, View } from './view.js';

export function compose(model: RunModel, ui: Ui, details: Details, size: Size, theme: Theme, now: number): Picture {
  const of = runShown(model, ui, details);
  const view: View = { model: of ?? model, ui, details: detailsShown(details, ui), size, theme, now };
  const page = (): Picture => (of ? shown(view) : loadingRun(view));
  const picture = isTooSmall(size) ? { lines: tooSmall(size) } : withWholeMessage(page(), view);
  const lines = picture.lines
    .slice(0, Math.max(1, size.rows - 1))
    .map((one) => themed(within(cleaned(one), Math.max(1, size.columns)), theme));
  return { ...picture, lines };
}

/** Views clean foreign text before they measure it. This second pass stops a view that forgets. */
const cleaned = (spans: Line): Line =>
  spans.some(({ text }) => isUnsafe(text)) ? spans.map((span) => ({ ...span, text: clean(span.text) })) : spans;

function shown(view: View): Picture {
  switch (view.ui.screen) {
    case 'needs':
      return needsView(view);
    case 'ideas':
      return ideasView(view);
    case 'log':
      return logView(view);
    case 'history':
      return historyView(view);
    case 'idea':
      return ideaView(view);
    case 'help':
      return helpView(view);
    case 'report':
      return textView(view);
    case 'run':
      return isSmallSize(view.size) ? smallView(view) : runView(view);
  }
}

/** Selectable entries of the shown screen, in display order; for lists also the invisible ones. */
export function placesOf(
  model: RunModel,
  ui: Ui,
  details: Details,
  size: Size,
  theme: Theme,
  now: number,
): Selection[] {
  const of = runShown(model, ui, details);
  if (!of) return [];
  const view: View = { model: of, ui, details: detailsShown(details, ui), size, theme, now };
  switch (ui.screen) {
    case 'run':
      return isSmallSize(size) ? smallPlaces(view.model) : runPlaces(view);
    case 'needs':
      return needPlaces(view);
    case 'ideas':
      return ideaPlaces(view);
    case 'log':
      return logPlaces(view);
    case 'history':
      return historyPlaces(view);
    case 'idea':
      return pagePlaces(view);
    default:
      return [];
  }
}
