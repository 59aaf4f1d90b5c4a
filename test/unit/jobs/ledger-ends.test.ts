/** When an idea that did not land ended, as the ledger has it. Pure. Features: E5. */
import { expect, it } from 'vitest';
import { closingDrafts } from '../../../src/jobs/ledger/drafts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
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

const oneIdea = (tell: (told: (minute: number, event: RunEvent) => void) => void) => {
  const model = newModel({ ...RUN, name: 'shop', target: 'main', startedAt: 0, slots: 1 }, [idea('a-1')]);
  tell((minute, event) => void fold(model, { at: at(minute), ...event }));
  return closingDrafts(RUN, [...model.ideas.values()]);
};
const became = (status: IdeaStatus, more: { reason?: string; agentName?: string } = {}): RunEvent => ({
  ...{ kind: 'idea', idea: 'a-1', title: 'a-1', status },
  ...more,
});

it.each(['failed', 'timeout', 'blocked', 'skipped'] as const)(
  'an idea that the run started has an end, also where no agent run of it began: %s',
  (status) => {
    const started = oneIdea((tell) => {
      tell(1, became('running', { agentName: 'ed-001' }));
      tell(3, became(status, { reason: 'the set-up is red' }));
    });
    expect(started).toMatchObject([
      {
        op: 'submit',
        pass: false,
        at: at(3),
        actor: { kind: 'ralphctl' },
        data: { status, reason: 'the set-up is red' },
      },
    ]);
    expect(oneIdea((tell) => tell(3, became(status)))).toEqual([]);
  },
);

it.each([
  ['skip', 'skipped'],
  ['abandon', 'abandoned'],
] as const)('what a person ends has a person as its actor: %s', (verb, status) => {
  const told = (by: boolean) =>
    oneIdea((tell) => {
      tell(1, became('running', { agentName: 'ed-001' }));
      tell(1, { kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 3, agentName: 'ed-001' });
      if (by) tell(2, { kind: 'command', idea: 'a-1', verb, by: 'cli', done: `a-1 is ${status}` });
      tell(3, became(status));
    });
  expect(told(true)).toMatchObject([{ op: 'submit', actor: { kind: 'person' }, data: { status } }]);
  // One that fails may be skipped by a rule. Only a person gives one up.
  expect(told(false)).toMatchObject([{ actor: { kind: status === 'skipped' ? 'ralphctl' : 'person' } }]);
});
