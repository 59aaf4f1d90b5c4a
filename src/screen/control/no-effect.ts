/** Why a key has done nothing. Invariant: pure. */
import { isOver } from '../idea/possible.js';
import { type Action, KEYS, keysOn } from '../keys.js';
import type { Ui } from '../ui.js';
import { ideaAt, type Pressed, type Seen } from './seen.js';

export function withoutEffect(ui: Ui, action: Action, seen: Seen): Pressed {
  const about = keysOn(ui.screen).find((key) => key.action === action);
  const text = about?.group === 'idea' || action === 'diff' ? reason(ui, action, seen) : undefined;
  if (text === undefined) return { ui };
  return { ui: { ...ui, message: { text: `${text}${action === 'retry' ? nextRun(seen) : ''}`, refused: true } } };
}

function reason(ui: Ui, action: Action, seen: Seen): string | undefined {
  if (ui.screen === 'idea' && action === 'open')
    return 'nothing opens here: Enter opens an agent run on Timeline, and a file on Diff';
  if (seen.selected) return ideaAt(ui, seen) === undefined ? 'the selected line is about no idea' : undefined;
  return seen.places.length > 0 ? 'no line is selected: the arrow keys select one' : 'there is no line to select here';
}

/** A key that commands an idea or the run, on a page that does not have it. */
export function elsewhere(ui: Ui, name: string, seen: Seen): Pressed {
  const key = KEYS.find(({ keys, group }) => keys.includes(name) && (group === 'idea' || group === 'run'));
  if (!key) return { ui };
  const where =
    key.group === 'run'
      ? 'is about the run: press it on page 1'
      : 'is about an idea: press it on page 3, or on the page of an idea';
  const text = `${name} ${where}${key.action === 'retry' ? nextRun(seen) : ''}`;
  return { ui: { ...ui, message: { text, refused: true } } };
}

const nextRun = ({ model }: Seen): string => (isOver(model) ? '; P starts a new run' : '');
