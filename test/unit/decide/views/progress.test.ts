/** The progress in a run's memo: during the run and after it. Features: A8 G9. */
import { expect, test } from 'vitest';
import { progressNow } from '../../../../src/client/api/facts.js';
import { progressOf } from '../../../../src/decide/views/progress.js';
import { runStatus, runSummary } from '../../../../src/decide/views/status.js';
import { card, closed, decided, pilotOf, SETTINGS } from '../support.js';

test('A8: after a stop, all that has not landed counts, as in the summary', () => {
  const pilot = pilotOf([card('a'), card('b'), card('epic', { blue: true }), card('c', { parent: 'epic' })], {
    slots: 1,
  });
  decided(pilot);
  closed(pilot, 'a', 'blocked');
  const status = () => runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0);
  const { entries } = pilot.state;
  expect(progressOf(status(), { state: 'running', entries })).toMatchObject({ total: 3, asking: 0, notLanded: 1 });
  const ended = progressOf(status(), { state: 'stopped', entries, ended: 'stopped' });
  expect(ended.notLanded).toBe(3);
  expect(ended.notLanded).toBe(runSummary('stopped', entries, status()).notLanded.length);
});

test('G9: a run that was terminated on the server does not read as running', () => {
  const memo = { state: 'running', landed: 1, total: 2, asking: 0, notLanded: 0, why: 'x' };
  expect(progressNow(memo, 'RUNNING')).toBe(memo);
  expect(progressNow(memo, 'TERMINATED')).toEqual({ ...memo, state: 'terminated', why: null });
  expect(progressNow({ ...memo, state: 'completed' }, 'COMPLETED').state).toBe('completed');
});
