/** When an idea that did not land ended, as the ledger has it. Pure. Features: E5. */
import { expect, it } from 'vitest';
import { closingDrafts } from '../../../src/jobs/ledger/drafts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { idea } from '../../activities/idea.js';

const RUN = { project: 'p', runId: '20260101-000000-aaaa' };
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 22, minute)).toISOString();

it('the moment at which it failed, not the end of its run', () => {
  const model = newModel({ ...RUN, name: 'shop', target: 'main', startedAt: 0, slots: 1 }, [idea('a-1'), idea('a-2')]);
  const tell = (minute: number, event: RunEvent): void => void fold(model, { at: at(minute), ...event });
  for (const [id, minute] of [
    ['a-1', 1],
    ['a-2', 5],
  ] as const) {
    tell(minute, { kind: 'idea', idea: id, title: id, status: 'running', agentName: 'ed-001' });
    tell(minute, { kind: 'iteration', idea: id, serial: 1, iteration: 1, max: 3, agentName: 'ed-001' });
    tell(minute + 2, { kind: 'idea', idea: id, title: id, status: 'failed', reason: 'it broke' });
  }
  tell(50, { kind: 'run', state: 'completed', landed: 0, total: 2 });
  const ends = closingDrafts(RUN, [...model.ideas.values()]).filter(({ op }) => op === 'submit');
  expect(ends.map((one) => [one.idea, one.at])).toEqual([
    ['a-1', at(3)],
    ['a-2', at(7)],
  ]);
});
