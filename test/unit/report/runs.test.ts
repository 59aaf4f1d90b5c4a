import { expect, it } from 'vitest';
import { runsText } from '../../../src/report/history.js';
import type { HistoryRun } from '../../../src/screen/details.js';

const NOW = Date.UTC(2026, 0, 10, 12);
const run = (runId: string, more: Partial<HistoryRun> = {}): HistoryRun => ({
  ...{ runId, startedAt: NOW - 3_600_000, endedAt: NOW - 1_800_000, outcome: 'completed' },
  ...{ landed: 1, notLanded: 0, iterations: 1, agents: ['claude'] },
  ...more,
});
const open = [{ id: 'a-1', state: 'failed' as const, reason: 'exit code 3', since: 'not yet' }];

it('G8: the list of runs ends with what the last run left, and with nothing where it left nothing', () => {
  const older = run('r-1', { notLanded: 1, open });
  const text = (runs: HistoryRun[]): string => runsText({ name: 'shop', runs }, NOW).join('\n');
  expect(text([older])).toContain('ralphctl report --run r-1');
  expect(text([run('r-2'), older])).not.toContain('a-1');
  expect(text([run('r-2', { notLanded: 1, open }), older])).toContain('ralphctl report --run r-2');
  // A run that is open has left nothing yet.
  const { endedAt: _, ...running } = run('r-3', { outcome: 'running' });
  expect(text([running, older])).toContain('ralphctl report --run r-1');
});
