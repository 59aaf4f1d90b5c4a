/** What a screen tells beside the run: on *Run*, and with all its words in *Needs you* (G4). */
import { expect, it } from 'vitest';
import { BEHIND_SHORT, renamedShort, renamedText } from '../../../src/client/screen/notices.js';
import type { Notice } from '../../../src/model/notice.js';
import { compose } from '../../../src/screen/compose.js';
import { listsOf } from '../../../src/screen/lists.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type ScreenName } from '../../../src/screen/ui.js';
import { NOW, shop, shopDetails } from './shop.js';

const THEME = { colour: false, ascii: false };
const LAGS =
  '/home/me/shop still has the old a.txt, because your edits blocked the update when ideas landed on main. ' +
  'A commit there would revert the landed work. First run: ralphctl sync (it keeps your edits)';
const lags: Notice = { text: LAGS, short: BEHIND_SHORT, since: NOW };
const moved = {
  branch: 'trunk',
  text: 'the branch main was renamed to trunk, which has what landed on it',
  fix: 'Go on with trunk: ralphctl start --target trunk. Or name it main again: git branch -m trunk main',
  commands: ['ralphctl start --target trunk', 'git branch -m trunk main'],
};
const renamed: Notice = { text: renamedText(moved), short: renamedShort(moved), since: NOW };

const drawn = (notices: Notice[], columns: number, rows: number, screen: ScreenName = 'run'): string[] => {
  const model = shop();
  listsOf(model);
  model.notices = notices;
  return compose(model, { ...initialUi(), screen }, shopDetails(), { columns, rows }, THEME, NOW).lines.map(plainLine);
};

it.each([
  [200, 40],
  [120, 40],
  [80, 24],
  [60, 20],
  [45, 12],
])('Run has one line with the whole command at %ix%i (G4)', (columns, rows) => {
  const lines = drawn([lags, renamed], columns, rows);
  expect(lines.filter((one) => one.startsWith(' ! ') && one.includes('ralphctl sync'))).toHaveLength(1);
  expect(lines.filter((one) => one.startsWith(' ! ') && one.includes('ralphctl start --target trunk'))).toHaveLength(1);
  expect(lines).toHaveLength(rows - 1);
  expect(drawn([], columns, rows).join('\n')).not.toMatch(/ralphctl (?:sync|start --target)/);
});

it.each([
  [120, 40],
  [80, 24],
])('Needs you has a row of it at %ix%i', (columns, rows) => {
  expect(drawn([lags], columns, rows, 'needs').join('\n')).toMatch(/run +outside/);
});

it.each([
  [120, 40],
  [80, 24],
])(
  'the report of the run has it above its lines at %ix%i: the screen opens there when the run is over (G4)',
  (columns, rows) => {
    const report = { runId: shop().runId, lines: Array.from({ length: 60 }, (_, at) => `line ${at + 1}`) };
    const model = shop();
    model.notices = [lags];
    const details = { ...shopDetails(), report };
    const size = { columns, rows };
    const lines = compose(model, { ...initialUi(), screen: 'report' }, details, size, THEME, NOW).lines.map(plainLine);
    expect(lines.findIndex((one) => one.startsWith(' ! ') && one.includes('ralphctl sync'))).toBe(
      lines.indexOf(' line 1') - 1,
    );
    expect(lines.join('\n')).toContain(`1 to ${rows - 4} of 60 lines`);
  },
);

it('stays when a summary replaces the warnings of the run', () => {
  const model = shop();
  model.notices = [lags];
  model.warnings = [];
  expect(listsOf(model).warnings).toContainEqual({ kind: 'outside', text: LAGS, since: NOW });
});
