/** What a key is judged by: the picture that was seen. Invariant: pure. */
import type { RunModel } from '../../model/model.js';
import type { Details } from '../details.js';
import { ideaOf } from '../run.js';
import type { ScreenName, Selection, Ui } from '../ui.js';
import type { Act } from './act.js';

/** What the last picture showed. */
export interface Seen {
  model: RunModel;
  details: Details;
  /** What can be selected, in its order. */
  places: readonly Selection[];
  selected?: Selection;
  rows: number;
}

export interface Pressed {
  ui: Ui;
  act?: Act;
}

/** The idea that keys of ideas are about. */
export function ideaAt(ui: Ui, { model, selected }: Seen): string | undefined {
  if (ui.screen === 'idea') return ui.idea;
  const id = selected && ideaOf(selected, model);
  return id !== undefined && model.ideas.has(id) ? id : undefined;
}

export const goTo = (ui: Ui, screen: ScreenName): Ui =>
  screen === ui.screen ? ui : { ...ui, screen, back: [ui.screen, ...ui.back].slice(0, 20) };
