/** Keys that move the selection or the window of a text. Invariant: pure. */
import type { Action } from '../keys.js';
import { listsOf } from '../lists.js';
import { FROM_END, type Selection, type Tab, type Ui } from '../ui.js';
import { isSame } from '../view.js';
import { goTo, type Seen } from './seen.js';

export function move(ui: Ui, action: Action, seen: Seen): Ui | undefined {
  switch (action) {
    case 'up':
      return step(ui, seen, -1);
    case 'down':
      return step(ui, seen, 1);
    case 'page-up':
      return step(ui, seen, 6 - seen.rows);
    case 'page-down':
      return step(ui, seen, seen.rows - 6);
    case 'first':
      return step(ui, seen, Number.NEGATIVE_INFINITY);
    case 'last':
      return step(ui, seen, Number.POSITIVE_INFINITY);
    case 'section':
      return section(ui, seen);
    case 'next-need':
      return need(ui, seen, 1);
    case 'previous-need':
      return need(ui, seen, -1);
    default:
      return undefined;
  }
}

/** In a list the selection moves; in a text the window moves. */
function step(ui: Ui, { places, selected, most }: Seen, by: number): Ui {
  if (places.length === 0 || (ui.screen === 'idea' && ui.tab !== 'timeline' && ui.tab !== 'diff')) {
    const name = ui.screen === 'idea' ? `idea ${ui.tab}` : ui.screen;
    // A jump to the end is counted as far as the text goes, so that the next key moves it.
    const from = Math.min(ui.scroll[name] ?? 0, most ?? Number.POSITIVE_INFINITY);
    // The window of a text that follows counts from its end.
    const back = ui.screen === 'idea' && FROM_END.includes(ui.tab) ? -by : by;
    const to = back === Number.POSITIVE_INFINITY ? 1e9 : Math.max(0, from + back);
    return { ...ui, follow: to === 0 ? ui.follow : false, scroll: { ...ui.scroll, [name]: to } };
  }
  const at = selected ? places.findIndex((one) => isSame(one, selected)) : -1;
  // Where no entry is selected, one step selects the first.
  const from = at < 0 && Math.abs(by) === 1 ? -by : Math.max(0, at);
  const to = Math.max(0, Math.min(places.length - 1, from + by));
  return select(ui, places[to]);
}

export const select = (ui: Ui, place: Selection | undefined): Ui =>
  place
    ? { ...ui, ...(ui.screen === 'log' ? { follow: false } : {}), selected: { ...ui.selected, [ui.screen]: place } }
    : ui;

/** Opens a tab of the page; the timeline keeps the one beside it. */
export const onTab = (ui: Ui, tab: Tab): Ui => ({
  ...ui,
  tab,
  ...(tab === 'timeline' ? (ui.tab === 'timeline' ? {} : { beside: ui.tab }) : {}),
});

function section(ui: Ui, { places, selected }: Seen): Ui {
  // The left side of the page is the timeline, the right side every other tab.
  if (ui.screen === 'idea') return ui.tab === 'timeline' ? { ...ui, tab: ui.beside } : onTab(ui, 'timeline');
  const names = [...new Set(places.map((one) => one.section))];
  const next = names[(names.indexOf(selected?.section) + 1) % Math.max(1, names.length)];
  return select(
    ui,
    places.find((one) => one.section === next),
  );
}

function need(ui: Ui, { model, selected }: Seen, by: 1 | -1): Ui {
  const { needs } = listsOf(model);
  if (needs.length === 0) return { ...ui, message: { text: 'nothing waits for you' } };
  const at = ui.screen === 'needs' ? needs.findIndex(({ id }) => id === selected?.id) : by > 0 ? -1 : 0;
  const next = needs[(at + by + needs.length) % needs.length];
  return next ? { ...goTo(ui, 'needs'), selected: { ...ui.selected, needs: { section: 'needs', id: next.id } } } : ui;
}
