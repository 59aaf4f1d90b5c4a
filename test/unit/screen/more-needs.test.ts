/** More requests than a list has lines for (G4). */
import { expect, it } from 'vitest';
import { BEHIND_SHORT } from '../../../src/client/screen/notices.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type ScreenName } from '../../../src/screen/ui.js';
import { idea } from './shop.js';

function six(): RunModel {
  const ids = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6'];
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    ids.map((id) => idea(id, id)),
  );
  const at = new Date(1000).toISOString();
  for (const id of ids) fold(model, { at, kind: 'idea', idea: id, title: id, status: 'blocked', reason: `no ${id}` });
  return model;
}

const drawn = (model: RunModel, columns: number, rows: number, screen: ScreenName): string[] =>
  compose(
    model,
    { ...initialUi(), screen },
    noDetails(),
    { columns, rows },
    { colour: false, ascii: false },
    2000,
  ).lines.map(plainLine);

it('the page of a small screen says how many requests it leaves out', () => {
  const text = drawn(six(), 80, 24, 'needs').join('\n');
  expect(text).toContain(' ⊗ a-4');
  expect(text).not.toContain(' ⊗ a-5');
  expect(text).toContain(' … 2 more');
});

it('the page has the whole command for a checkout that lags, however many ideas ask', () => {
  const model = six();
  model.notices = [{ text: `${'long '.repeat(50)}ralphctl sync`, short: BEHIND_SHORT, since: 0 }];
  expect(drawn(model, 80, 24, 'needs').join('\n')).toContain('First run: ralphctl sync');
});

it('Run shows all of them where it has free lines', () => {
  const lines = drawn(six(), 120, 60, 'run');
  const part = lines
    .slice(
      0,
      lines.findIndex((one) => one.includes('─ Lately')),
    )
    .join('\n');
  for (const id of ['a-1', 'a-6']) expect(part).toContain(`⊗ ${id}`);
  expect(part).not.toContain('more: 2');
});
