import { expect, it } from 'vitest';
import { runsText } from '../../../src/report/history.js';
import type { HistoryRun } from '../../../src/screen/details.js';
import { width as cells } from '../../../src/screen/text/text.js';

const NOW = Date.UTC(2026, 0, 10, 12);
const run = (runId: string, more: Partial<HistoryRun> = {}): HistoryRun => ({
  ...{ runId, startedAt: NOW - 3_600_000, endedAt: NOW - 1_800_000, outcome: 'completed' },
  ...{ landed: 1, notLanded: 0, iterations: 1, agents: ['claude'] },
  ...more,
});
const failed = { id: 'a-1', state: 'failed' as const, reason: 'exit code 3', since: 'not yet' };
const open = [failed];

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

it.each([40, 60, 80, 100])(
  'G8: the list of runs has every id whole, and other columns give way, at %i columns',
  (width) => {
    const ids = ['20261128-023618-qvsm', '20261128-024930-qzzp'] as const;
    const [newest, older] = [
      run(ids[0], { outcome: 'waits for you', notLanded: 1, open }),
      run(ids[1], { dollars: 12.5 }),
    ];
    const lines = runsText({ name: 'shop', runs: [newest, older] }, NOW, width);
    for (const id of ids) expect(lines.some((line) => line.split(/ +/).includes(id))).toBe(true);
    expect(lines.join('\n')).toContain(`ralphctl report --run ${ids[0]}`);
    for (const line of lines) expect(cells(line), line).toBeLessThanOrEqual(Math.max(width, 46));
    const [, heads = ''] = lines;
    expect(heads.includes('begun'), heads).toBe(true);
    expect(heads.includes('outcome'), heads).toBe(width >= 60);
    expect(heads.includes('iter.'), heads).toBe(width >= 100);
  },
);

it('G8: a single idea more than the list shows has its own line, and two are a number (issue 12)', () => {
  const left = (count: number): string => {
    const ideas = Array.from({ length: count }, (_, at) => ({ ...failed, id: `b-${at + 1}` }));
    return runsText({ name: 'shop', runs: [run('r-1', { notLanded: count, open: ideas })] }, NOW).join('\n');
  };
  expect(left(11)).toContain('b-11');
  expect(left(11)).not.toContain('more');
  expect(left(12)).not.toContain('b-11');
  expect(left(12)).toContain('… 2 more');
});
