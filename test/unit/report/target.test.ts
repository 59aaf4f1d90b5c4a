/** Where a run left its target: after a rollback inside it, and read once a newer run has begun. Features: C2 G4. */
import { describe, expect, it } from 'vitest';
import type { StampedEvent } from '../../../src/protocol/events.js';
import { targetText } from '../../../src/report/head.js';
import { historyRun } from '../../../src/report/history.js';
import { type Report, reportSchema } from '../../../src/report/schema.js';

import { clockAt, reportOf, shopNight } from './shop-night.js';

const stamp = (clock: string): { at: string } => ({ at: new Date(clockAt(clock)).toISOString() });

/** A person takes search-001, the last landing, off the target while the run goes on. */
function rolledBack(asked = '28:10', done = '28:12'): StampedEvent[] {
  const idea = { idea: 'search-001', title: 'Search' };
  const told = (at: string, text: string, by?: 'screen'): StampedEvent => ({
    ...{ ...stamp(at), kind: 'command', verb: 'rollback', idea: idea.idea, done: text },
    ...(by ? { by } : {}),
  });
  const more: StampedEvent[] = [
    told(asked, 'search-001 is in the landing queue, to be taken off main', 'screen'),
    { ...stamp(asked), kind: 'idea', ...idea, status: 'landing' },
    told(done, 'search-001 was taken off main by 99999999'),
    { ...stamp(done), kind: 'idea', ...idea, status: 'pending', held: true, reason: 'taken off main by 99999999' },
  ];
  return [...shopNight(), ...more].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const line = (report: Report): string | undefined => targetText(report);

describe('where a run left its target', () => {
  const tip = '9'.repeat(40);

  it('C2 G4: is the commit of the last rollback inside the run, whose gate was green there', () => {
    const report = reportOf(rolledBack(), { tip });
    expect(line(report)).toBe('main is green at 9999999 (npm test, 04:12)');
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report.target).toMatchObject({ from: '7'.repeat(40), to: tip, green: true });
    expect(report.target).not.toHaveProperty('now');
    // While the run is open, its target moves, and only the event names the commit.
    expect(line(reportOf(rolledBack()))).toBe('main is green at 9999999 (npm test, 04:12)');
  });

  it('C2: is the last landing, where that came after the rollback, and the rollback where it ended last', () => {
    const landing = '5'.repeat(40);
    expect(line(reportOf(rolledBack('24:43', '24:44'), { tip }))).toContain('main is green at 9999999');
    const again: StampedEvent[] = [
      ...rolledBack('24:43', '24:44'),
      { ...stamp('28:30'), kind: 'idea', idea: 'search-001', title: 'Search', status: 'landed', commit: landing },
    ];
    again.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    expect(line(reportOf(again, { tip: landing }))).toContain('main is green at 5555555');
  });

  it.each([
    ['the clean-up of another idea tells its landing once more', {}],
    ['a rollback of another idea does not go through', { reason: 'could not be undone: later landings build on it' }],
  ])('C2 G4: is the commit of the rollback, also where %s', (_, more) => {
    const landing = { idea: 'db-001', title: 'Database', status: 'landed', commit: 'd'.repeat(40) } as const;
    const events: StampedEvent[] = [...rolledBack(), { ...stamp('28:14'), kind: 'idea', ...landing, ...more }];
    events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    expect(line(reportOf(events, { tip }))).toMatch(/^main is green at 9999999/);
  });

  it('C2: is not the commit of a rollback after the run', () => {
    const events: StampedEvent[] = [
      ...shopNight(),
      {
        ...{ ...stamp('31:30'), kind: 'command', verb: 'rollback', idea: 'search-001', by: 'cli' },
        ...{ done: 'search-001 was taken off main by 99999999', afterRun: true },
      },
    ];
    expect(line(reportOf(events, { tip }))).toMatch(
      /^main was green at 5555555 .*; it is at 9999999 now, which this run did not gate$/,
    );
  });

  it('G4: was green where the target has moved since, also in the report of an older run', () => {
    const report = reportOf(shopNight(), { tip, older: true });
    expect(line(report)).toMatch(/^main was green at 5555555 \(npm test 412\/412, 00:42\); it is at 9999999 now$/);
    expect(line(reportOf(shopNight(), { tip: '5'.repeat(40), older: true }))).toMatch(/^main is green at 5555555/);
    // The list of runs tells how each one ended.
    expect(historyRun(report, []).target).toMatchObject({ green: true });
  });
});
