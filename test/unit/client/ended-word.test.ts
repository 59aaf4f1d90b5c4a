/** An idea that the end of its run cut off has one word in every view: `stopped`. Features: B4 G1 G4 G6. */
import { stripVTControlCharacters } from 'node:util';
import { expect, it, vi } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { describeLast } from '../../../src/client/views/last-run-lines.js';
import { LiveLines } from '../../../src/client/views/live-lines.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { newNight } from '../../../src/report/night.js';
import { endWord, shownIn } from '../../../src/screen/cut-off.js';
import { happened } from '../../../src/screen/run/happened.js';
import { idea } from '../screen/shop.js';

const of = (status: 'running' | 'pending', reason?: string): RunEvent => ({
  ...{ kind: 'idea', idea: 'a-1', title: 'A', status, ...(reason ? { reason } : {}) },
});
const run = (state: 'running' | 'stopping' | 'stopped' | 'aborted'): RunEvent => ({
  ...{ kind: 'run', state, landed: 0, total: 2 },
});
const begins: RunEvent = { kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001' };
const ended = (state: 'stopped' | 'aborted'): StampedEvent[] =>
  [run('running'), of('running'), begins, run('stopping'), of('pending'), run(state)].map((event, n) => ({
    ...{ at: new Date(1000 * (n + 1)).toISOString() },
    ...event,
  }));

function modelOf(events: readonly StampedEvent[]) {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
    idea('a-1', 'A'),
    idea('b-1', 'B'),
  ]);
  for (const event of events) fold(model, event);
  return { model, told: model.ideas.get('a-1') ?? expect.fail('no idea') };
}

it.each(['stopped', 'aborted'] as const)('of a run that is %s', async (state) => {
  const events = ended(state);
  const { model, told } = modelOf(events);
  const extra = { now: 60_000, zone: 'UTC', over: true, night: newNight(), earlier: [], later: new Map() };
  const report = makeReport(model, { ...extra, givenUp: new Set() });
  expect(report.open.find(({ idea: id }) => id === 'a-1')?.state).toBe('stopped');
  expect(shownIn(model, told)).toBe('stopped');

  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const notLanded = ['a-1', 'b-1'].map((id) => ({ idea: id, status: 'pending' as const }));
  try {
    describeLast({ last: { landed: 0, notLanded }, model, held: new Set(), told: new Map() } as never);
  } finally {
    write.mockRestore();
  }
  expect(lines.join('')).toContain('◫ a-1 stopped\n');
  // The run never began it.
  expect(lines.join('')).toContain('  b-1 ready\n');
  expect(notLanded.map((one) => endWord(model, one))).toEqual(['stopped', 'ready']);

  const logs = new LiveLines(false);
  const shown = events.flatMap((event) => logs.lines(event)).map((line) => stripVTControlCharacters(line));
  expect(shown.some((line) => line.endsWith('◫ a-1 stopped'))).toBe(true);
  const back = events[4] ?? expect.fail('no event');
  expect(happened(back, model, 60_000)).toMatchObject({ sign: '◫', text: 'stopped' });

  const view = { idea: 'a-1', title: 'A', status: 'pending' as const, waitsFor: [], possible: [], parts: [], score: 0 };
  const about = { root: '/nowhere', project: 'p', told, over: true };
  expect(describeIdea(await reportOn(view as never, about))[1]).toBe('status stopped');
});

it('names a reason that says so once, and a retry is no end', () => {
  const logs = new LiveLines(false);
  const line = (event: RunEvent) => logs.lines({ at: new Date().toISOString(), ...event })[0]?.slice(9);
  line(run('running'));
  expect(line(of('pending', 'retry'))).toBe('◦ a-1 to do again: retry');
  line(run('stopping'));
  expect(line(of('pending', 'stopped while it waited'))).toBe('◫ a-1 stopped while it waited');
  expect(line(of('pending', 'no slot'))).toBe('◫ a-1 stopped: no slot');
});
