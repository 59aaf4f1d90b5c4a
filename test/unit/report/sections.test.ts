/** The sections of a report have the ideas that its head counts, in every form of it. Features: G4 C2. */
import { expect, it } from 'vitest';
import type { StampedEvent } from '../../../src/protocol/events.js';
import { WORKER_LOST } from '../../../src/protocol/failures.js';
import { htmlReport } from '../../../src/report/html.js';
import { markdownReport, plain } from '../../../src/report/markdown.js';
import { reportSchema } from '../../../src/report/schema.js';
import { textReport } from '../../../src/report/text.js';
import { clockAt, idea, reportOf, shopNight } from './shop-night.js';

const at = (time: string): string => new Date(clockAt(time)).toISOString();
const left = (id: string, status: 'skipped' | 'abandoned', time = '29:00'): StampedEvent => ({
  ...{ at: at(time), kind: 'idea', idea: id, title: id, status, reason: 'nobody needs it' },
});

it('G4: what a person left out is no idea that did not land, in the head and in the sections', () => {
  const events: StampedEvent[] = [
    { at: at('22:00'), kind: 'run', state: 'running', landed: 0, total: 3 },
    { at: at('22:10'), kind: 'idea', idea: 'a-1', title: 'A', status: 'landed', commit: 'abcd' },
    left('b-1', 'skipped'),
    left('c-1', 'abandoned'),
    { at: at('29:54'), kind: 'run', state: 'completed', landed: 1, total: 3 },
  ];
  const ideas = ['a-1', 'b-1', 'c-1'].map((id) => idea(id, `Title of ${id}`));
  const report = reportOf(events, {}, ideas);
  expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  expect(report.counts).toMatchObject({ landed: 1, open: 0, leftOut: 2 });
  const text = textReport(report).join('\n');
  expect(text).toContain('  1 landed   0 not   2 left out   0 iterations');
  expect(text).toMatch(/^LEFT OUT \(2\)\n {2}⊘ b-1 +skipped: nobody needs it\n {2}⊘ c-1 +given up: nobody needs it$/m);
  const markdown = markdownReport(report);
  expect(markdown).toContain('1 landed · 0 not · 2 left out');
  expect(markdown).toContain('## Left out (2)');
  const html = htmlReport(report);
  expect(html).toContain('<li><b>0</b>not</li><li><b>2</b>left out</li>');
  expect(html).toContain('<h2>Left out (2)</h2>');
  for (const one of [text, markdown, html]) expect(one).not.toMatch(/not landed \(/i);
});

it('G4: a report of many landed ideas has ten of them, those with a finding among them, and the number of the others', () => {
  const report = reportOf(shopNight());
  const [one] = report.landed;
  if (!one) throw new Error('the night landed something');
  const landed = Array.from({ length: 12 }, (_, n) => ({
    ...{ ...one, idea: `l-${n}` },
    look: n < 3 || n === 11 ? ['flaky: npm test'] : [],
  }));
  const text = textReport({ ...report, landed }).join('\n');
  const shown = landed.filter(({ idea: id }) => new RegExp(`^  ✓ ${id} `, 'm').test(text)).map(({ idea: id }) => id);
  expect(shown).toEqual([...Array.from({ length: 9 }, (_, n) => `l-${n}`), 'l-11']);
  expect(text).toContain('… 2 more');
});

it('C2: each open idea is counted in one section, also where a person decides after the run', () => {
  const events = [...shopNight(), left('docs-001', 'skipped')];
  const report = reportOf(events, {}, undefined, (model) => {
    const one = model.ideas.get('help-001');
    if (one) one.forNext = { leftOut: true, words: ['skip help-001'] };
  });
  expect(report.counts).toMatchObject({ open: 5, leftOut: 1 });
  const text = textReport(report).join('\n');
  // Four of them are tasks. The run had left `help-001` open.
  expect(text).toMatch(/^ALSO NOT LANDED \(1\)\n {2}⊘ help-001 /m);
  expect(text).toMatch(/^LEFT OUT \(1\)\n {2}⊘ docs-001 /m);
  expect(report.todo.filter((one) => one.idea)).toHaveLength(4);
});

it('C6 G4: a worker that was lost in the night is worth a look, once for each loss', () => {
  const lost = (time: string, one: string): StampedEvent => ({
    ...{ at: at(time), kind: 'waiting', idea: one, why: WORKER_LOST, ms: 500 },
  });
  const run = (state: 'running' | 'completed', time: string): StampedEvent => ({
    ...{ at: at(time), kind: 'run', state, landed: 0, total: 2 },
  });
  const losses = [lost('23:00', 'a-1'), lost('23:01', 'b-1'), lost('27:30', 'b-1')];
  // A crash repeats the last events.
  const events = [run('running', '22:00'), ...losses, ...losses.slice(-1), run('completed', '29:54')];
  const ideas = ['a-1', 'b-1'].map((id) => idea(id, `Title of ${id}`));
  const { look } = reportOf(events, {}, ideas);
  expect(look.filter(({ kind }) => kind === 'worker')).toEqual([
    {
      kind: 'worker',
      text: expect.stringMatching(
        /^the worker ended 2 times while ideas worked \(.*23:00, .*03:30\): a-1, b-1 went on after it, uncharged$/,
      ),
    },
  ]);
  const other = { ...lost('23:00', 'a-1'), why: 'the disk is full' } as StampedEvent;
  expect(reportOf([run('running', '22:00'), other], {}, ideas).look.map(({ kind }) => kind)).not.toContain('worker');
});

it('C1 C6: a run that lost its worker is uncharged only where no iteration of that number has finished', () => {
  const begins = (one: string, serial: number, time: string): StampedEvent => ({
    ...{ at: at(time), kind: 'iteration', idea: one, serial, iteration: 1, max: 8, agentName: 'ed-001' },
  });
  const ends = (one: string, serial: number, time: string, more: object = {}): StampedEvent => ({
    ...{ at: at(time), kind: 'iteration-end', idea: one, serial, iteration: 1, outcome: 'ok', durationMs: 1000 },
    ...{ signal: { kind: 'progress', percent: 50 }, commits: 1, ...more },
  });
  const lost = (one: string): StampedEvent => ({
    ...{ at: at('23:00'), kind: 'waiting', idea: one, why: WORKER_LOST, ms: 500 },
  });
  const began: StampedEvent = { at: at('22:00'), kind: 'run', state: 'running', landed: 0, total: 2 };
  const both = [begins('a-1', 1, '22:10'), begins('b-1', 1, '22:10'), lost('a-1'), lost('b-1')];
  const told = (...after: StampedEvent[]): string =>
    reportOf([began, ...both, ...after], {}, [idea('a-1', 'A'), idea('b-1', 'B')])
      .look.filter(({ kind }) => kind === 'worker')
      .map(({ text }) => text.replace(/^.*: /, ''))
      .join();
  expect(told()).toBe('a-1, b-1 went on after it, uncharged');
  // Its result was there, or it ran again.
  expect(told(ends('a-1', 1, '23:10'))).toBe('a-1, b-1 went on after it (b-1 uncharged)');
  expect(told(ends('a-1', 1, '23:10'), begins('b-1', 2, '23:05'), ends('b-1', 2, '23:10'))).toBe(
    'a-1, b-1 went on after it',
  );
  expect(told(ends('a-1', 1, '23:10', { uncharged: true }))).toBe('a-1, b-1 went on after it, uncharged');
});

it('G4: a run that a person ended has its reason in every form of the report', () => {
  const events: StampedEvent[] = [
    { at: at('22:00'), kind: 'run', state: 'running', landed: 0, total: 1 },
    { at: at('29:54'), kind: 'run', state: 'stopped', why: 'going to bed', landed: 0, total: 1 },
  ];
  const report = reportOf(events, {}, [idea('a-1', 'A')]);
  for (const one of [textReport(report).join('\n'), markdownReport(report), htmlReport(report)])
    expect(one).toContain('stopped: going to bed');
});

it('G4: what the person answered is in every form of the report, with how long it waited', () => {
  const question = 'Which login do we want?\nIt could be OAuth, or a password of its own, or both of them.';
  const asks = (id: string, time: string): StampedEvent[] => [
    { at: at(time), kind: 'idea', idea: id, title: id, status: 'needs-human', reason: `${question.slice(0, 20)}…` },
    { at: at(time), kind: 'asks', idea: id, asking: 'question', question },
  ];
  const works = (id: string, time: string): StampedEvent => ({
    ...{ at: at(time), kind: 'idea', idea: id, title: id, status: 'running' },
  });
  const answers = (id: string, time: string, text: string): StampedEvent => ({
    ...{ at: at(time), kind: 'command', idea: id, verb: 'answer', by: 'cli', text, done: `answered ${id}` },
  });
  const ids = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7'];
  const events: StampedEvent[] = [
    { at: at('22:00'), kind: 'run', state: 'running', landed: 0, total: 7 },
    ...ids.map((id) => works(id, '22:01')),
    ...ids.flatMap((id) => asks(id, '22:10')),
    ...ids.flatMap((id, index) => [
      answers(id, `22:2${index}`, `Use OAuth, as ${id} says ${'and so on '.repeat(20)}`),
      works(id, `22:2${index}`),
    ]),
    { at: at('29:54'), kind: 'run', state: 'stopped', landed: 0, total: 7 },
  ];
  const report = reportOf(
    events,
    {},
    ids.map((id) => idea(id, `Title of ${id}`)),
  );
  const rows = report.look.filter(({ kind }) => kind === 'answer');
  expect(rows.map(({ text }) => text)).toEqual(
    ids.map((id, index) =>
      expect.stringMatching(
        new RegExp(
          `^${id} asked "Which login do we want\\? It could be OAuth, or [^"]*…": you answered "Use OAuth, as ${id} says [^"]*…" after ${10 + index}m`,
        ),
      ),
    ),
  );
  const text = textReport(report).join('\n');
  expect(text.match(/^ {2}answer .*$/gm)).toHaveLength(6);
  expect(text).toContain('a-5 asked');
  expect(text).not.toContain('a-6 asked');
  expect(text).toMatch(/^ {2}answer +… 2 more: ralphctl report .*--all$/m);
  // The line `… 1 more` is no shorter than the row (issue 12).
  const six = textReport({ ...report, look: report.look.filter(({ text: row }) => !row.startsWith('a-7 ')) }).join(
    '\n',
  );
  expect(six).toContain('a-6 asked');
  expect(six).not.toMatch(/… \d+ more/);
  const whole = textReport(report, { all: true }).join('\n');
  for (const id of ids) {
    for (const one of [whole, htmlReport(report)]) expect(one).toContain(`${id} asked`);
    expect(markdownReport(report)).toContain(plain(`${id} asked`));
  }
});

it('G4: an answer whose words or wait nobody noted says what is known', () => {
  const events: StampedEvent[] = [
    { at: at('22:00'), kind: 'run', state: 'running', landed: 0, total: 1 },
    { at: at('22:10'), kind: 'command', idea: 'a-1', verb: 'answer', by: 'cli', done: 'answered' },
    { at: at('29:54'), kind: 'run', state: 'stopped', landed: 0, total: 1 },
  ];
  const { look } = reportOf(events, {}, [idea('a-1', 'Title of a-1')]);
  expect(look.filter(({ kind }) => kind === 'answer')).toEqual([{ kind: 'answer', text: 'a-1 asked: you answered' }]);
});

it('G4: an approval of all that waits counts as one, as does that of one idea, and a repeated line counts once', () => {
  const approve = (time: string, more: object): StampedEvent => ({
    ...{ at: at(time), kind: 'command', verb: 'approve', by: 'cli', done: 'approved: the next step of 3 ideas' },
    ...more,
  });
  const you = (...events: StampedEvent[]): string | undefined =>
    reportOf([{ at: at('22:00'), kind: 'run', state: 'running', landed: 0, total: 2 }, ...events], {}, [
      idea('a-1', 'A'),
      idea('b-1', 'B'),
    ]).look.find(({ kind }) => kind === 'you')?.text;
  const all = [approve('22:10', {}), approve('22:20', {})];
  expect(you(...all, approve('22:30', { idea: 'a-1' }))).toBe('3 approvals');
  expect(you(...all, approve('22:20', {}))).toBe('2 approvals');
  expect(you(approve('22:10', {}))).toBe('1 approval');
});
