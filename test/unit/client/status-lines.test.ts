/** The figures of a run in words. Feature: A8. */
import { expect, it, vi } from 'vitest';
import { todoOf } from '../../../src/client/plan/order.js';
import { describeLast } from '../../../src/client/views/last-run-lines.js';
import { questionLines, remedy } from '../../../src/client/views/need-lines.js';
import { iterationsText, leftText, runWord } from '../../../src/client/views/status-lines.js';
import { firstEntry } from '../../../src/decide/run/first-state.js';
import { nothingRuns } from '../../../src/decide/views/resting.js';
import { runSummary } from '../../../src/decide/views/status.js';
import { fold, newModel } from '../../../src/model/fold.js';
import { takeVerdicts } from '../../../src/model/stands.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { IDEA_STATUSES } from '../../../src/protocol/states.js';
import { noDetails } from '../../../src/screen/details.js';
import { countsLine } from '../../../src/screen/run/top.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { width } from '../../../src/screen/text/text.js';
import { idea } from '../screen/shop.js';

const iterations = (total: number) => ({
  iterations: { total, averageMs: 90_000, fastestMs: 12_000, slowestMs: 3_725_000 },
});

it('A8: names the fastest and the slowest iteration where there are two', () => {
  expect(iterationsText(iterations(7))).toBe('7 iterations (average 1m30s, fastest 12s, slowest 1h02m)');
  expect(iterationsText(iterations(1))).toBe('1 iteration (average 1m30s)');
  expect(iterationsText(iterations(0))).toBe('0 iterations');
});

it('C5: the question of an idea is a few lines, whatever it contains, and the rest has a command', () => {
  const short = 'Which one?\n\n1. blue\n2. green';
  expect(questionLines('a-1', short)).toEqual(['    | Which one?', '    |', '    | 1. blue', '    | 2. green']);
  for (const long of ['x'.repeat(16_384), 'word '.repeat(3200), '\u{1f3c3}'.repeat(5000), `a\n`.repeat(8000)]) {
    const lines = questionLines('a-1', long, 80);
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toMatch(/^ {4}\| … \d+ more lines: ralphctl show a-1$/);
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(80);
  }
});

it('C5: a command in the question is whole: in the line of its words, or in a line of its own', () => {
  const retry = 'It is blocked by the landing of another idea. Once that is over, run this again: ralphctl retry a-1';
  expect(questionLines('a-1', retry, 100).at(-1)).toBe('    | ralphctl retry a-1');
  const update = `git update-ref refs/heads/main ${'a'.repeat(40)} ${'b'.repeat(40)}`;
  expect(questionLines('a-1', `main moved.\ntake back: ${update}\nThen reply.`, 80)).toEqual([
    ...['    | main moved.', '    | take back:', `    | ${update}`, '    | Then reply.'],
  ]);
});

it('G1: says that nothing runs, and why, where a person paused or held what is left', () => {
  const line = (id: string, status: IdeaStatus, more: object = {}) => ({ id, title: id, status, ...more });
  const counts = (more: object = {}) => ({
    ...(Object.fromEntries(IDEA_STATUSES.map((status) => [status, 0])) as Record<IdeaStatus, number>),
    ...more,
  });
  const [active, attention] = [[line('a', 'paused')], [line('b', 'pending', { held: true })]];
  const live = { state: 'running' as const, counts: counts({ paused: 1, pending: 1 }), next: [], active, attention };
  expect(nothingRuns(live)).toEqual({ text: 'nothing runs: 1 paused, 1 held', first: 'a' });
  expect(nothingRuns({ ...live, active: [] })).toEqual({ text: 'nothing runs: 1 held', first: 'b' });
  expect(nothingRuns({ ...live, next: ['c'] })).toBeUndefined();
  expect(nothingRuns({ ...live, counts: counts({ running: 1 }) })).toBeUndefined();
  expect(nothingRuns({ ...live, active: [], attention: [] })).toBeUndefined();
  expect(nothingRuns({ ...live, state: 'paused' })).toBeUndefined();
});

it('C2 G4: an idea that waits for a person has the command of the report', () => {
  const line = { id: 'a-1', title: 'A', score: 0 };
  const of = (status: 'blocked' | 'failed' | 'timeout' | 'needs-human' | 'running', reason?: string) =>
    remedy({ ...line, status, ...(reason ? { reason } : {}) });
  expect(of('blocked')).toBe('solve this, then: ralphctl unblock a-1');
  expect(of('failed')).toBe('fix the cause, then: ralphctl retry a-1');
  expect(of('timeout', '3 of 3 iterations used')).toBe('ralphctl limit a-1 10 grants 10 more iterations');
  expect(of('timeout', '15s of working time used')).toBe(
    'ralphctl edit a-1 --timeout MINUTES, then: ralphctl retry a-1',
  );
  expect(of('timeout', 'the agent timed out after 20s')).toBe(
    'ralphctl edit a-1 --iteration-timeout MINUTES, then: ralphctl retry a-1',
  );
  expect(of('needs-human')).toBe('ralphctl answer a-1 "…"');
  expect(of('running')).toBeUndefined();
  // After the run only what works without one.
  const over = { start: 'ralphctl start' };
  expect(remedy({ ...line, status: 'paused', approval: true }, over)).toBe(
    'ralphctl start works on it once more, and then asks again: ralphctl approve a-1. Or say first what to change: ralphctl answer a-1 "…"',
  );
  expect(remedy({ ...line, status: 'paused', held: true }, over)).toBe('ralphctl start continues from its branch');
  expect(remedy({ ...line, status: 'blocked' }, over)).toMatch(/^solve this, then: ralphctl start/);
  // A run that stops refuses retry and unblock.
  const stopping = { ...over, stopping: true } as const;
  for (const status of ['blocked', 'failed', 'timeout'] as const)
    expect(remedy({ ...line, status }, stopping)).toMatch(/^once the run has stopped: .*ralphctl start/);
  expect(remedy({ ...line, status: 'needs-human' }, stopping)).toBe(
    'once the run has stopped: ralphctl answer a-1 "…", then: ralphctl start',
  );
  expect(remedy({ ...line, status: 'running' }, stopping)).toBeUndefined();
});

it('G1: status, the full screen and a dry run count the same ideas as to do', () => {
  const ids = ['ready', 'paused', 'held', 'runs', 'asks', 'wants-approval', 'landed', 'skipped'];
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    ids.map((id) => idea(id, id)),
  );
  const entries = ids.map((id) => ({ ...firstEntry({ id, title: id, dependsOn: [] }, id === 'landed') }));
  const set = (id: string, status: IdeaStatus, more: { held?: true; approval?: true } = {}): void => {
    fold(model, { at: new Date(0).toISOString(), kind: 'idea', idea: id, title: id, status, ...more });
    const entry = entries.find(({ card }) => card.id === id);
    Object.assign(entry ?? expect.fail(id), { status, ...(more.approval ? { approval: true } : {}) });
  };
  set('paused', 'paused');
  set('held', 'pending', { held: true });
  set('runs', 'running');
  set('asks', 'needs-human');
  set('wants-approval', 'paused', { approval: true });
  set('landed', 'landed');
  set('skipped', 'skipped');
  const none = Object.fromEntries(IDEA_STATUSES.map((status) => [status, 0])) as Record<IdeaStatus, number>;
  const counts = { ...none, landed: 1, skipped: 1 };
  expect(leftText({ total: ids.length, counts }, model)).toBe('6 not landed (3 to do), 1 left out');
  expect(todoOf(entries)).toBe(model.counts.todo);
  const header = plainLine(countsLine(model, noDetails(), 0, 120));
  expect(header).toContain(' 3 to do ');
  expect(leftText({ total: 2, counts: { ...none, landed: 1 } }, undefined)).toBe('1 not landed');
});

it('C2 G4: what did not land in the last run has the signs of the screen', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  const states = ['failed', 'blocked', 'timeout', 'pending', 'pending'] as const;
  const notLanded = states.map((status, n) => ({ idea: `a-${n}`, status }));
  const last = { landed: 0, notLanded } as unknown as Parameters<typeof describeLast>[0]['last'];
  try {
    describeLast({ last, held: new Set(['a-4']), told: new Map(), out: new Set(), open: [], gone: [] } as never);
  } finally {
    write.mockRestore();
  }
  const signs = lines.join('').split('\n').slice(1, 6);
  expect(signs).toEqual(['✗ a-0 failed', '⊗ a-1 blocked', '◔ a-2 timed out', '  a-3 pending', '◫ a-4 held']);
});

it('C2 C5: what a rollback took off is taken off after the run, and no start is promised for it', () => {
  const entry = firstEntry({ id: 'a-1', title: 'A', dependsOn: [] }, false);
  const reason = 'taken off main by 7b52da3c; start it again with: ralphctl retry a-1';
  const status = { counts: { landed: 0 } } as Parameters<typeof runSummary>[2];
  const of = (more: object) => runSummary('stopped', [{ ...entry, reason, ...more }], status).notLanded[0]?.reason;
  expect(of({ hold: true, takenOff: true })).toBe(reason);
  expect(of({ status: 'failed' })).toContain('ralphctl start');
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const text = 'a-1 landed as 576a2889, and was taken off main by 7b52da3c, its rollback';
  takeVerdicts(model, new Map([['a-1', { is: 'off', gone: { text, landed: 'c', command: 'ralphctl retry a-1' } }]]));
  const last = { landed: 0, notLanded: [{ idea: 'a-1', status: 'pending', reason: 'x' }] };
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((one) => lines.push(String(one)) > 0);
  try {
    describeLast({ last, model, held: new Set(), told: new Map() } as never);
  } finally {
    write.mockRestore();
  }
  expect(lines.join('')).toContain(`⊖ a-1 taken off: ${text}\n`);
});

it('A6: in semi-auto mode the run waits for you only while an idea can be assigned, or nothing works', () => {
  const state = 'waiting_user' as const;
  const active = [{ id: 'a', title: 'a', status: 'running' as const }];
  expect(runWord({ state, active, next: [] })).toBe('running');
  expect(runWord({ state, active, next: ['b'] })).toBe('waits for you to start ideas');
  expect(runWord({ state, active: [], next: [] })).toBe('waits for you to start ideas');
  expect(runWord({ state: 'paused', active, next: [] })).toBe('paused');
});
