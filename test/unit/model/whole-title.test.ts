/** Events have titles that are cut; views and their filters have whole ones. Features: G4 G8. */
import { expect, it } from 'vitest';
import { toCard } from '../../../src/backlog/cards.js';
import { addIdeas, fold, newModel } from '../../../src/model/fold.js';
import type { StampedEvent } from '../../../src/protocol/events.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { idea } from '../../activities/idea.js';

const HEAD = { project: 'p', runId: 'r', name: 'shop', target: 'main' };
const TITLE = `${'Move every page of the shop to the new layout, '.repeat(2)}and remember the zebra`;
const long = { ...idea('a-1'), title: TITLE };
const told = (title: string, status: 'pending' | 'running' = 'running'): StampedEvent => ({
  ...{ at: new Date(0).toISOString(), kind: 'idea', idea: 'a-1', title, status },
});

it('G4: the filter of Ideas finds a word behind the cut of a title after an event, too', () => {
  const model = newModel(HEAD, [long, idea('b-1')]);
  const found = (): string => {
    const ui = { ...initialUi(), screen: 'ideas' as const, filter: 'zebra' };
    return compose(model, ui, noDetails(), { columns: 120, rows: 24 }, { colour: false, ascii: false }, 0)
      .lines.map(plainLine)
      .join('\n');
  };
  expect(found()).toContain('a-1');
  fold(model, told(toCard(long).title));
  expect(toCard(long).title).not.toContain('zebra');
  expect(model.ideas.get('a-1')?.title).toBe(TITLE);
  expect(found()).toContain('a-1');
  expect(found()).not.toContain('b-1');
});

it('G8: a title that somebody edited is the new one, also where it is cut', () => {
  const model = newModel(HEAD, [long]);
  const edited = toCard({ ...long, title: `Edited: ${TITLE}` }).title;
  for (const title of ['Move every page', edited]) {
    fold(model, told(title));
    expect(model.ideas.get('a-1')?.title).toBe(title);
  }
});

it('G8: an idea that comes into the model after its events has its whole title', () => {
  const model = newModel(HEAD, []);
  fold(model, told(toCard(long).title));
  addIdeas(model, [long]);
  expect(model.ideas.get('a-1')?.title).toBe(TITLE);
});
