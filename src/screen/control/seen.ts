/** The picture that the person saw when pressing a key; keys apply to it. Invariant: pure. */
import type { RunModel } from '../../model/model.js';
import type { Details } from '../details.js';
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
  /** The program's commands, for the command line; absent: it completes none. */
  commands?: readonly CommandRow[];
  /** The last first line of the question beside the answer. */
  most?: number | undefined;
}

export interface Pressed {
  ui: Ui;
  act?: Act;
}

/** The idea that idea keys apply to. */
export function ideaAt(ui: Ui, { model, selected }: Seen): string | undefined {
  if (ui.screen === 'idea') return ui.idea;
  const id = selected && ideaOf(selected, model);
  return id !== undefined && model.ideas.has(id) ? id : undefined;
}

export const goTo = (ui: Ui, screen: ScreenName): Ui =>
  screen === ui.screen ? ui : { ...ui, screen, back: [ui.screen, ...ui.back].slice(0, 20) };
