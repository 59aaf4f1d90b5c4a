/** A failure refutes that an agent was done: no view shows its work as finished. Features: G1 G2. */
import { expect, it } from 'vitest';
import { newModel } from '../../../src/model/fold.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { idea, NOW, Story } from './shop.js';

it('the timeline and the slot fall back to what the agent had said before', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const story = new Story(model).at('23:00', { kind: 'run', state: 'running', landed: 0, total: 1, slots: 1 });
  story
    .starts('23:01', 'a-1', 1)
    .begins('23:01', 'a-1', 1, 30)
    .ends('23:04', 'a-1', 1, { kind: 'progress', percent: 50 }, 3);
  story.begins('23:05', 'a-1', 2, 30).ends('23:08', 'a-1', 2, { kind: 'complete' }, 3);
  story.becomes('23:09', 'a-1', 'needs-human', { reason: 'an edited test', approval: true });
  story.starts('23:10', 'a-1', 1).begins('23:10', 'a-1', 3, 30);
  story.ends('23:12', 'a-1', 3, { kind: 'none' }, 2, { outcome: 'failed', message: 'exit code 1' });
  story.begins('23:13', 'a-1', 4, 30).tell();
  expect(model.ideas.get('a-1')?.percent).toBe(50);
  const draw = (ui: Partial<Ui>): string[] =>
    compose(
      model,
      { ...initialUi(), ...ui },
      noDetails(),
      { columns: 80, rows: 24 },
      { colour: true, ascii: false },
      NOW,
    ).lines.map(plainLine);
  const rows = draw({ screen: 'idea', idea: 'a-1', tab: 'timeline' }).filter((one) => /#\d/.test(one));
  const bars = rows.map((one) => /[█░]+/.exec(one)?.[0].replaceAll('░', '').length);
  expect(bars).toEqual([10, 20, 10, 10]);
  expect(draw({}).find((one) => one.includes('4/30'))).toContain('█████░░░░░');
});
