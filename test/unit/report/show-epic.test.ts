/** `show` and the page of an epic tell of the ideas in it. Feature: A4. */
import { expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { showText } from '../../../src/report/show.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { idea, NOW } from '../screen/shop.js';

function model() {
  const made = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
    idea('catalog', 'The catalog', { blue: true }),
    idea('list-1', 'List', { parent: 'catalog' }),
    idea('page-1', 'Page', { parent: 'catalog', dependsOn: ['list-1'] }),
    idea('empty', 'Nothing yet', { blue: true }),
  ]);
  const at = new Date(NOW).toISOString();
  fold(made, { at, kind: 'run', state: 'running', landed: 0, total: 2 });
  fold(made, { at, kind: 'idea', idea: 'list-1', title: 'List', status: 'landed', commit: 'abc123' });
  return made;
}

it('A4: each child with its state, and no promise that the epic itself starts', () => {
  const shown = (id: string): string => {
    const made = model();
    const one = made.ideas.get(id) ?? expect.fail(id);
    return showText({ model: made, idea: one, now: NOW, commands: [], others: [] }).join('\n');
  };
  const text = shown('catalog');
  expect(text).toMatch(/⊟ epic .* 1 of 2 landed/);
  expect(text).toMatch(/✓ list-1 +landed +List/);
  expect(text).toMatch(/◦ page-1 +ready +Page/);
  expect(text).not.toMatch(/slot is free|ready to start/);
  expect(shown('empty')).toContain('there are no ideas in it');
  const ui = { ...initialUi(), screen: 'idea' as const, idea: 'catalog' };
  const { lines } = compose(model(), ui, noDetails(), { columns: 80, rows: 24 }, { colour: true, ascii: false }, NOW);
  expect(lines.map(plainLine).join('\n')).toMatch(/⊟ epic[\s\S]*list-1 +landed/);
});
