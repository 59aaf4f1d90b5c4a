/** `c` answers warnings; of an idea without one it says so, and tells the run nothing. Features: C1 G5. */
import { expect, it } from 'vitest';
import { press } from '../../../src/screen/control/press.js';
import { ideaWish } from '../../../src/screen/control/verbs.js';
import { noDetails } from '../../../src/screen/details.js';
import { initialUi } from '../../../src/screen/ui.js';
import { NOW, shop } from './shop.js';

it('refuses by itself, also where the run answers', () => {
  const model = shop();
  model.live = { state: 'running', at: NOW, next: [] } as never;
  const selected = { section: 'slots' as const, id: 'search-001' };
  const seen = { model, details: noDetails(), places: [selected], selected, rows: 24, columns: 80 };
  const { ui, act } = press(initialUi(), { name: 'c', text: 'c' }, seen);
  expect([act, ui.message]).toEqual([undefined, { text: 'search-001 has no warnings', refused: true }]);
  const stuck = model.ideas.get('stuck-001');
  expect(stuck && ideaWish('continue', model, stuck)).toMatchObject({
    act: { args: ['warn', 'stuck-001', 'continue'] },
  });
});
