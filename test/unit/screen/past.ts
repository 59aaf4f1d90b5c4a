/** Runs of the past, as the history of `shop` has them. */
import type { Details, History } from '../../../src/screen/details.js';
import { noDetails } from '../../../src/screen/details.js';
import { clockAt } from './shop.js';

const day = (back: number, time: string): number => clockAt(time) - back * 24 * 3_600_000;

const HISTORY: History = {
  monthLanded: 214,
  monthDollars: 96,
  runs: [
    {
      runId: 'r5',
      startedAt: clockAt('22:00'),
      outcome: 'running',
      landed: 11,
      notLanded: 3,
      iterations: 26,
      dollars: 4.1,
      agents: ['claude', 'codex'],
    },
    {
      runId: 'r4',
      startedAt: day(4, '22:03'),
      endedAt: day(3, '05:54'),
      outcome: 'completed',
      landed: 31,
      notLanded: 4,
      iterations: 88,
      dollars: 21.4,
      agents: ['claude'],
      target: { from: '7e24e7600', to: '9c1d2e000', green: true },
      open: [
        { id: 'import-004', state: 'failed', reason: 'exit code 3: no such file suppliers.xlsx', since: 'not yet' },
        { id: 'cache-001', state: 'timed out', reason: '50 of 50 iterations, 60 %', since: 'landed Wed' },
        { id: 'deploy-001', state: 'blocked', reason: 'the deploy key is not available', since: 'third time' },
        { id: 'price-007', state: 'asks', reason: 'Round half up or half even?', since: 'not yet' },
      ],
      done: [
        { id: 'search-002', iterations: 14, ms: 72 * 60_000, dollars: 3.1, added: 402, deleted: 120 },
        { id: 'index-001', iterations: 9, ms: 58 * 60_000, dollars: 1.9, added: 212, deleted: 38 },
        { id: 'mail-003', iterations: 6, ms: 41 * 60_000, dollars: 1.2, added: 98, deleted: 12 },
      ],
      look: [
        { what: 'flaky', text: 'mail › sends, in 3 ideas' },
        { what: 'limits', text: 'codex 01:10 to 03:00, claude took over 6 ideas' },
        { what: 'you', text: '2 answers, 1 hint; 1 idea waited 3h for you' },
      ],
    },
    {
      runId: 'r3',
      startedAt: day(5, '22:00'),
      endedAt: day(4, '00:10'),
      outcome: 'stopped',
      landed: 9,
      notLanded: 22,
      iterations: 30,
      dollars: 6.02,
      agents: ['claude'],
    },
    {
      runId: 'r2',
      startedAt: day(5, '09:12'),
      endedAt: day(5, '09:16'),
      outcome: 'aborted',
      landed: 0,
      notLanded: 3,
      iterations: 2,
      dollars: 0.1,
      agents: ['codex'],
    },
    {
      runId: 'r1',
      startedAt: day(20, '22:01'),
      endedAt: day(19, '04:03'),
      outcome: 'terminated',
      landed: 17,
      iterations: 51,
      agents: ['claude'],
    },
  ],
};

export const pastDetails = (): Details => ({ ...noDetails(), history: HISTORY });
