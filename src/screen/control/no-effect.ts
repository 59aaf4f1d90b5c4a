/** Why a key about the selected idea has done nothing. Invariant: pure. */
import { type Action, keysOn } from '../keys.js';
import type { Ui } from '../ui.js';
import { ideaAt, type Pressed, type Seen } from './seen.js';

export function withoutEffect(ui: Ui, action: Action, seen: Seen): Pressed {
  const about = keysOn(ui.screen).find((key) => key.action === action);
  const text = about?.group === 'idea' || action === 'diff' ? reason(ui, action, seen) : undefined;
  return { ui: text === undefined ? ui : { ...ui, message: { text, refused: true } } };
}

function reason(ui: Ui, action: Action, seen: Seen): string | undefined {
  if (ui.screen === 'idea' && action === 'open')
    return 'nothing opens here: Enter opens an agent run on Timeline, and a file on Diff';
  if (seen.selected) return ideaAt(ui, seen) === undefined ? 'the selected line is about no idea' : undefined;
  return seen.places.length > 0 ? 'no line is selected: the arrow keys select one' : 'there is no line to select here';
}
