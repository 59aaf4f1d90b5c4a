/** The time of an idea is that of its work: its waits for a slot, an answer and a landing are nobody's work. Features: G1 G2. */
import { describe, expect, it } from 'vitest';
import { runFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel, RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { whenText } from '../../../src/report/head.js';
import { historyOfSummary, historyRun, runsText } from '../../../src/report/history.js';
import { htmlReport } from '../../../src/report/html.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { foldNight, newNight } from '../../../src/report/night.js';
import { showJson, showText } from '../../../src/report/show.js';
import { textReport } from '../../../src/report/text.js';
import { noDetails } from '../../../src/screen/details.js';
import { historyView } from '../../../src/screen/pages/history.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { idea } from './shop-night.js';

const MINUTE = 60_000;
const NIGHT = new Date(2026, 10, 17, 22, 0).getTime();

/** Two agent runs of 5 and 3 minutes, a red gate and a green one of 1 minute each, and hours of waiting between them. */
function told(...last: [minute: number, RunEvent][]): { model: RunModel; night: ReturnType<typeof newNight> } {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const night = newNight();
  const status = (now: 'running' | 'needs-human' | 'wants-slot' | 'landing', more: object = {}): RunEvent => ({
    ...{ kind: 'idea', idea: 'a-1', title: 'A', status: now },
    ...more,
  });
  const begins = (serial: number): RunEvent => ({
    ...{ kind: 'iteration', idea: 'a-1', serial, iteration: serial, max: 5, agentName: 'ed-001', limitMs: 60 * MINUTE },
  });
  const ends = (serial: number, minutes: number, signal: 'complete' | 'needs-human'): RunEvent => ({
    ...{ kind: 'iteration-end', idea: 'a-1', serial, iteration: serial, outcome: 'ok', commits: 1 },
    ...{ signal: signal === 'complete' ? { kind: signal } : { kind: signal, question: 'Which?' } },
    durationMs: minutes * MINUTE,
  });
  const gate = (pass: boolean): RunEvent => ({
    ...{ kind: 'gate', idea: 'a-1', pass, durationMs: MINUTE, commands: [], newTests: [], knownTests: [] },
    ...{ flaky: [], tolerated: [], tripwires: [] },
  });
  const events: [minute: number, RunEvent][] = [
    [0, { kind: 'run', state: 'running', landed: 0, total: 1 }],
    [0, status('running', { agentName: 'ed-001' })],
    [0, begins(1)],
    [5, ends(1, 5, 'needs-human')],
    [5, { kind: 'asks', idea: 'a-1', asking: 'question', question: 'Which?' }],
    [5, status('needs-human', { reason: 'Which?' })],
    [180, { kind: 'answered', idea: 'a-1', text: 'blue' }],
    [180, status('running', { agentName: 'ed-001' })],
    [180, begins(2)],
    [183, ends(2, 3, 'complete')],
    [183, status('running', { agentName: 'ed-001', gating: true })],
    [184, gate(false)],
    [184, status('wants-slot')],
    ...last,
  ];
  for (const [minute, event] of events) {
    const stamped = { at: new Date(NIGHT + minute * MINUTE).toISOString(), ...event };
    fold(model, stamped);
    foldNight(night, stamped);
  }
  return { model, night };
}

const ideaOf = (model: RunModel): IdeaModel => model.ideas.get('a-1') ?? expect.fail('no idea');

it('A8: the report and show say how long its agents worked, not when it landed', () => {
  const { model, night } = told(
    [300, { kind: 'idea', idea: 'a-1', title: 'A', status: 'landing' }],
    [360, { kind: 'idea', idea: 'a-1', title: 'A', status: 'landed', commit: 'abcdef12' }],
    [360, { kind: 'run', state: 'completed', landed: 1, total: 1 }],
  );
  const now = NIGHT + 361 * MINUTE;
  const report = makeReport(model, {
    now,
    zone: 'UTC',
    over: true,
    night,
    earlier: [],
    later: new Map(),
    givenUp: new Set(),
  });
  const [landed] = report.landed;
  expect([landed?.ms, landed?.agentMs]).toEqual([360 * MINUTE, 8 * MINUTE]);
  const row = textReport(report, { width: 100 }).find((one) => one.includes('a-1'));
  expect(row).toMatch(/ 8m /);
  expect(row).not.toMatch(/6h/);
  expect(markdownReport(report)).toMatch(/\| a\\-1 .* \| 8m \|/);
  expect(htmlReport(report)).toMatch(/took[^>]*>(?:<[^>]+>)*8m/);
  expect(showJson({ model, idea: ideaOf(model), now, commands: [], others: [] }).agentMs).toBe(8 * MINUTE);
  // `runs --json` and the page *History* have the run from its report.
  expect(historyRun(report, []).done).toMatchObject([{ id: 'a-1', ms: 8 * MINUTE }]);
});

describe('the time of a run is one, in its report, in runs and on History', () => {
  const landed: [number, RunEvent] = [360, { kind: 'idea', idea: 'a-1', title: 'A', status: 'landed', commit: 'abc' }];
  const later: [number, RunEvent] = [900, { kind: 'command', verb: 'rollback', idea: 'a-1', done: '', afterRun: true }];

  it.each([
    ['completed', [landed, [361, { kind: 'run', state: 'completed', landed: 1, total: 1 }]], true, '6h01m'],
    ['terminated, and rolled back later', [landed], true, '6h'],
    ['open', [landed], false, '15h01m'],
  ] as [string, [number, RunEvent][], boolean, string][])('%s', (_, events, over, took) => {
    const { model, night } = told(...events, ...(over ? [later] : []));
    const now = NIGHT + 901 * MINUTE;
    const report = makeReport(model, { now, zone: 'UTC', over, night });
    const run = historyRun(report, []);
    expect(whenText(report.run)).toContain(`(${took})`);
    expect(htmlReport(report)).toMatch(new RegExp(`>${took}<`));
    expect(runsText({ name: 'shop', runs: [run] }, now).join('\n')).toMatch(new RegExp(` ${took}  `));
    const details = { ...noDetails(), history: { runs: [run], monthLanded: 1 } };
    const ui = { ...initialUi(), screen: 'history' as const };
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 120, rows: 40 },
    ]) {
      const view = { model, details, ui, now, size, theme: { colour: false, ascii: false } };
      expect(historyView(view).lines.map(plainLine).join('\n')).toMatch(new RegExp(` ${took} `));
    }
  });

  it('is known from the summary alone as from the events', () => {
    const { model } = told(landed, [361, { kind: 'run', state: 'completed', landed: 1, total: 1 }]);
    const status = { statistics: { iterations: { total: 2 } } };
    const summary = { outcome: 'completed', landed: 1, notLanded: [], status, run: runFacts(model) };
    const begun = NIGHT - MINUTE;
    const about = { runId: 'r', startedAt: begun, endedAt: NIGHT + 900 * MINUTE, agents: [] };
    expect(historyOfSummary(about, summary as never, undefined)).toMatchObject({
      ...{ startedAt: model.startedAt, endedAt: model.endedAt },
    });
  });
});

it('G1 G2: while it works, its time against its limit is working time', () => {
  const { model } = told(
    [300, { kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' }],
    [
      300,
      { kind: 'iteration', idea: 'a-1', serial: 3, iteration: 3, max: 5, agentName: 'ed-001', limitMs: 60 * MINUTE },
    ],
  );
  const now = NIGHT + 304 * MINUTE;
  const lines = showText({ model, idea: ideaOf(model), now, commands: [], others: [] });
  const box = lines.join('\n');
  // 5, 3 and 4 minutes of agents, and a gate of one.
  expect(box).toContain('4m · idea 13m');
  expect(box).not.toContain('idea 5h');
  const times = lines.flatMap((one) => /#\d .*?\d\d:\d\d +(\d+m)/.exec(one)?.[1] ?? []);
  expect(times).toEqual(['5m', '3m', '4m']);
});
