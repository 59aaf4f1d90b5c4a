/** The picture that the person saw when pressing a key; keys apply to it. Invariant: pure. */
import type { RunModel } from '../../model/model.js';
import type { Details } from '../details.js';
import { reportRun } from '../pages/report-page.js';
import { isPast, mayBePast, runShown } from '../past.js';
import { ideaOf } from '../run/run.js';
import type { ScreenName, Selection, Ui } from '../ui.js';
import type { Act } from './act.js';
import type { CommandRow } from './command-row.js';

/** The contents of the last picture. */
export interface Seen {
  model: RunModel;
  details: Details;
  /** Selectable entries, in display order. */
  places: readonly Selection[];
  selected?: Selection | undefined;
  rows: number;
  columns: number;
  /** The program's commands, for the command line; absent: it completes none. */
  commands?: readonly CommandRow[];
  /** How far the text of this picture scrolls, or the question beside the answer. */
  most?: number | undefined;
}

export interface Pressed {
  ui: Ui;
  act?: Act;
}

/** The run of the page, which can be an older one. While its files load, no page has an entry. */
export const runAt = (ui: Ui, { model, details }: Pick<Seen, 'model' | 'details'>): RunModel =>
  runShown(model, ui, details) ?? model;

/** The idea that idea keys apply to. */
export function ideaAt(ui: Ui, seen: Seen): string | undefined {
  const { selected } = seen;
  if (ui.screen === 'idea') return ui.idea;
  if (!selected) return undefined;
  const model = runAt(ui, seen);
  const id = ideaOf(ui.screen === 'log' ? { ...selected, section: 'lately' } : selected, model);
  return model.ideas.has(id) ? id : undefined;
}

/** *Run* is the first screen: nothing lies behind it for `Esc`. */
export function goTo(before: Ui, screen: ScreenName): Ui {
  // A page about an older run leads to others about it.
  const { ofRun: _, ...ofNow } = before;
  const ui = (mayBePast(screen) && !isPast(before)) || screen === 'run' ? ofNow : before;
  const { news, ...rest } = ui;
  const kept = screen === 'run' || screen === 'report' || news === undefined ? rest : ui;
  if (screen === 'run') return { ...kept, screen, back: [] };
  return screen === ui.screen ? kept : { ...kept, screen, back: [ui.screen, ...ui.back].slice(0, 20) };
}

/** The report takes the place of *Run*. Every other page stays, and says that the run has ended. */
export function atEnd({ message, ...rest }: Ui): Ui {
  // A refusal of the run that is over must not hide its end.
  const ui = message && !message.refused ? { ...rest, message } : rest;
  // The report of an older run is a page like the others.
  if (ui.screen === 'report' && reportRun(ui) === undefined) return ui;
  return ui.screen === 'run' ? goTo(ui, 'report') : { ...ui, news: 'ended' };
}

/** Another run has begun, and the screen follows it. */
export function withNewRun({ news: _, ...ui }: Ui): Ui {
  return ui.screen === 'report' ? goTo(ui, 'run') : ui;
}
