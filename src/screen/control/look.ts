/** Keys that change the view: pages, tabs, orders, groups. Invariant: pure; none sends the run a command. */

import { shownGate } from '../idea/gate.js';
import { pageIdea } from '../idea/page-idea.js';
import { isOver } from '../idea/possible.js';
import type { Action } from '../keys.js';
import { listsOf } from '../lists.js';
import { isPast } from '../past.js';
import { IDEA_SORTS, SLOT_ORDERS, TABS, type Tab, type Ui } from '../ui.js';
import { WIDE } from '../view.js';
import { onTab, select } from './move.js';
import { goTo, ideaAt, type Pressed, runAt, type Seen } from './seen.js';

export function look(ui: Ui, action: Action, seen: Seen): Pressed | undefined {
  switch (action) {
    case 'back':
      return { ui: goBack(ui) };
    case 'help':
      return { ui: ui.screen === 'help' ? goBack(ui) : goTo(ui, 'help') };
    case 'open':
      return open(ui, seen);
    case 'diff': {
      const idea = ideaAt(ui, seen);
      return idea && runAt(ui, seen).ideas.has(idea) ? { ui: { ...page(ui, idea, seen), tab: 'diff' } } : { ui };
    }
    case 'tab-left':
    case 'tab-right':
      return { ui: onTab(ui, nextTab(ui, seen, action === 'tab-left' ? -1 : 1)) };
    case 'iteration-left':
    case 'iteration-right':
      return { ui: otherRun(ui, seen, action === 'iteration-left' ? -1 : 1) };
    case 'follow':
      return { ui: { ...ui, follow: !ui.follow, scroll: {} } };
    case 'wrap':
      return { ui: { ...ui, wrap: !ui.wrap } };
    case 'hide-landed':
      return { ui: { ...ui, hideLanded: !ui.hideLanded } };
    case 'order':
      return { ui: ordered(ui, seen) };
    case 'sort':
      return { ui: { ...ui, sort: after(IDEA_SORTS, ui.sort) } };
    case 'tree':
      return { ui: { ...ui, tree: !ui.tree } };
    case 'close-group':
    case 'open-group':
      return { ui: group(ui, seen, action === 'close-group') };
    case 'report':
      if (isPast(ui) && ui.screen !== 'report') return { ui: reportOf(ui, ui.ofRun ?? '') };
      return isOver(seen.model)
        ? { ui: goTo(['history', 'report'].includes(ui.screen) ? goTo(ui, 'run') : ui, 'report') }
        : { ui: { ...ui, message: { text: 'the report is there when the run has ended', refused: true } } };
    case 'log-of-run':
      return { ui: ofChosen(ui, 'log', seen) };
    default:
      return undefined;
  }
}

/** From *History*: a page about its chosen run. */
function ofChosen(ui: Ui, screen: 'log' | 'report', { model, selected }: Seen): Ui {
  const next = goTo(ui, screen);
  return selected && selected.id !== model.runId ? { ...next, ofRun: selected.id } : next;
}

/** The report of an older run is one that *History* chose. */
function reportOf(ui: Ui, runId: string): Ui {
  const chosen = { ...ui.selected, history: { id: runId } };
  return { ...goTo(goTo(ui, 'history'), 'report'), selected: chosen, ofRun: runId };
}

/** The tabs of a chosen agent run, or those beside the timeline, are without the timeline. */
function nextTab(ui: Ui, { columns }: Seen, by: 1 | -1): Tab {
  const wide = columns >= WIDE;
  const tabs = wide || ui.serial !== undefined ? TABS.filter((tab) => tab !== 'timeline') : TABS;
  const from = tabs.includes(ui.tab) ? ui.tab : ui.beside;
  return tabs[(tabs.indexOf(from) + by + tabs.length) % tabs.length] ?? 'agent';
}

/** Another agent run on the page of its idea: its texts begin at their start. */
const onRun = (ui: Ui, serial: number): Ui => ({
  ...ui,
  ...{ serial, scroll: {} },
  ...(ui.tab === 'timeline' ? { selected: { ...ui.selected, idea: { id: `${serial}` } } } : {}),
});

/** Slots that all have a line stand by their numbers. */
function ordered(ui: Ui, { model, places }: Seen): Ui {
  const { slots } = listsOf(model);
  const lines = new Set(places.flatMap(({ section, id }) => (section === 'slots' ? [id] : [])));
  if (slots.every(({ id }) => lines.has(id)))
    return {
      ...ui,
      message: { text: 'every slot has a line: s sorts them where they do not all fit', refused: true },
    };
  const order = after(SLOT_ORDERS, ui.order);
  return { ...ui, order, message: { text: `the slots that stand in lines: by ${order}` } };
}

const after = <T>(list: readonly T[], one: T): T => list[(list.indexOf(one) + 1) % list.length] ?? one;

function goBack(ui: Ui): Ui {
  if (ui.screen === 'idea' && ui.tab === 'gate' && ui.search !== '') return { ...ui, search: '' };
  if (ui.screen === 'idea' && (ui.serial !== undefined || ui.file !== undefined)) {
    const { serial: _, file: __, ...rest } = ui;
    return { ...rest, scroll: {} };
  }
  if (ui.screen === 'ideas' && ui.filter !== '') return { ...ui, filter: '' };
  if (ui.screen === 'log' && ui.find !== '') return { ...ui, find: '' };
  const [screen = 'run', ...back] = ui.back;
  const { ofRun } = ui;
  const kept = ofRun === undefined || screen === 'run' ? {} : { ofRun };
  return { ...goTo(ui, screen), back, ...kept };
}

/** The list keeps the line that opened the page: the idea may have left its place when the person comes back. */
const page = (from: Ui, idea: string, { selected }: Seen): Ui => {
  const ui = from.screen === 'idea' ? from : select(from, selected);
  const { serial: _, file: __, ...rest } = goTo(ui, 'idea');
  return { ...rest, idea, follow: true, scroll: {}, search: '', tab: ui.screen === 'idea' ? ui.tab : 'agent' };
};

function open(ui: Ui, seen: Seen): Pressed {
  const { selected } = seen;
  if (ui.screen === 'idea') {
    if (ui.tab === 'timeline' && selected) return { ui: { ...onRun(ui, Number(selected.id)), tab: 'agent' } };
    if (ui.tab === 'diff' && selected) return { ui: { ...ui, file: selected.id } };
    return { ui };
  }
  if (ui.screen === 'help') return { ui: goBack(ui) };
  if (ui.screen === 'history') return { ui: ofChosen(ui, 'report', seen) };
  const model = runAt(ui, seen);
  const idea = ideaAt(ui, seen);
  if (idea === undefined || !model.ideas.has(idea)) return { ui };
  if (ui.screen === 'ideas' && model.ideas.get(idea)?.group) return { ui: group(ui, seen, !ui.closed.has(idea)) };
  return { ui: page(ui, idea, seen) };
}

function otherRun(ui: Ui, seen: Seen, by: 1 | -1): Ui {
  const idea = pageIdea({ model: runAt(ui, seen), details: seen.details, ui });
  const runs = idea?.iterations ?? [];
  const last = runs.at(-1)?.serial;
  // The gate on the merged tree comes after the last iteration.
  const merged = ui.tab === 'gate' && idea !== undefined && shownGate(idea, undefined).merged === true;
  if (merged && ui.serial === undefined) return by < 0 && last !== undefined ? onRun(ui, last) : ui;
  const at = runs.findIndex(({ serial }) => serial === (ui.serial ?? last));
  const next = runs[at + by];
  if (next) return onRun(ui, next.serial);
  const { serial: _, ...newest } = ui;
  return merged && by > 0 ? { ...newest, scroll: {} } : ui;
}

function group(ui: Ui, seen: Seen, close: boolean): Ui {
  const { ideas } = runAt(ui, seen);
  const idea = ideas.get(seen.selected?.id ?? '');
  const id = idea?.group ? idea.id : idea?.parent;
  if (id === undefined) return ui;
  const closed = new Set(ui.closed);
  if (close) closed.add(id);
  else closed.delete(id);
  return { ...select(ui, { id }), closed };
}
