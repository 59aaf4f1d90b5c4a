/** Whatever a run contains, the screen keeps its size and steers no terminal (G1, G5). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { ACTIVITIES, type StampedEvent } from '../../../src/protocol/events.js';
import { IDEA_STATUSES } from '../../../src/protocol/states.js';
import { compose } from '../../../src/screen/compose.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { lineWidth, plainLine } from '../../../src/screen/text/line.js';
import { IDEA_SORTS, initialUi, NUMBERED, type ScreenName, TABS, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const NASTY = [
  '',
  'plain words',
  '商品一覧のヘルプページを書く',
  'e\u0301\u0301\u0301 combining',
  '👩‍👩‍👧‍👦 family 🏳️‍🌈 ☃️ ⚠️',
  '\u001b[2J\u001b]0;title\u0007\u001b[31mred',
  '\u202eright to left\u2066',
  'tab\there\nnew\r\nline\u2028separator\u0000',
  'x'.repeat(300),
  '\ud800 lone',
  'क्षि ไทย ﷽ 한국어',
  '\u200b\u200d\ufe0f',
];
const MORE: readonly ScreenName[] = ['idea', 'idea', 'help', 'report'];
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'grapheme', maxLength: 120 }), fc.string());
const ids = fc.constantFrom(
  'a',
  'b-1',
  'long-idea-with-a-name-of-many-cells-0123456789-0123456789',
  'd',
  'e',
  'f',
  'g',
);

const event = fc.oneof(
  fc.record({
    kind: fc.constant('idea' as const),
    idea: ids,
    title: text,
    status: fc.constantFrom(...IDEA_STATUSES),
    reason: text,
    commit: text,
    agentName: fc.constantFrom('ed-001', 'ed-012', 'x'),
  }),
  fc.record({
    kind: fc.constant('iteration' as const),
    idea: ids,
    serial: fc.nat(9),
    iteration: fc.nat(10_000),
    max: fc.nat(10_000),
    agentName: text,
    agent: text,
    model: text,
  }),
  fc.record({
    kind: fc.constant('iteration-end' as const),
    idea: ids,
    serial: fc.nat(9),
    iteration: fc.nat(9),
    signal: fc.oneof(
      fc.constantFrom({ kind: 'none' as const }, { kind: 'complete' as const }),
      fc.record({ kind: fc.constant('progress' as const), percent: fc.nat(100) }),
      fc.record({ kind: fc.constant('needs-human' as const), question: text }),
    ),
    outcome: fc.constantFrom('ok' as const, 'failed' as const),
    message: text,
    words: text,
    durationMs: fc.nat(10_000_000),
    commits: fc.nat(1000),
    usage: fc.record({ costUsd: fc.double({ min: 0, max: 1e6, noNaN: true }), inputTokens: fc.nat() }),
  }),
  fc.record({
    kind: fc.constant('gate' as const),
    idea: ids,
    pass: fc.boolean(),
    command: text,
    tests: fc.record({ passed: fc.nat(5000), failed: fc.nat(5000), skipped: fc.nat(9), total: fc.nat(9999) }),
    durationMs: fc.nat(1e6),
    newTests: fc.array(text, { maxLength: 3 }),
    commands: fc.array(fc.record({ command: text, exitCode: fc.constantFrom(0, 1, null), durationMs: fc.nat(1e6) }), {
      maxLength: 3,
    }),
  }),
  fc.record({ kind: fc.constant('gate-start' as const), idea: ids, command: text, number: fc.nat(3), of: fc.nat(3) }),
  fc.record({
    kind: fc.constant('activity' as const),
    idea: ids,
    activity: fc.constantFrom(...ACTIVITIES),
    command: text,
  }),
  fc.record({ kind: fc.constant('warning' as const), idea: ids, warning: fc.constant('stuck' as const), text }),
  fc.record({ kind: fc.constant('bounced' as const), idea: ids, why: text }),
  fc.record({ kind: fc.constant('landing' as const), idea: ids }),
  fc.record({
    kind: fc.constant('asks' as const),
    idea: ids,
    asking: fc.constant('question' as const),
    question: text,
  }),
  fc.record({ kind: fc.constant('command' as const), idea: ids, verb: fc.constant('hint'), text, done: text }),
  fc.record({
    kind: fc.constant('account' as const),
    account: fc.record({
      key: text,
      agents: fc.array(text, { maxLength: 2 }),
      state: fc.constantFrom('parked' as const, 'open' as const),
      kind: fc.constantFrom('limited' as const, 'auth' as const),
      reason: text,
      until: fc.constant(clockAt('24:10')),
    }),
  }),
  fc.record({
    kind: fc.constant('run' as const),
    state: fc.constantFrom(
      'running' as const,
      'paused' as const,
      'pausing' as const,
      'waits for you' as const,
      'waiting_user' as const,
      'stopping' as const,
      'completed' as const,
      'aborted' as const,
    ),
    why: text,
    landed: fc.nat(9),
    total: fc.nat(9),
    slots: fc.nat(120),
  }),
);

const ui: fc.Arbitrary<Ui> = fc
  .record({
    order: fc.constantFrom('quiet' as const, 'slot' as const),
    screen: fc.constantFrom(...NUMBERED, ...MORE),
    tab: fc.constantFrom(...TABS),
    sort: fc.constantFrom(...IDEA_SORTS),
    tree: fc.boolean(),
    wrap: fc.boolean(),
    follow: fc.boolean(),
    filter: text,
    draft: fc.record({ text, cursor: fc.nat(300) }),
    scroll: fc.nat(500),
    id: ids,
    prompt: fc.option(fc.record({ text, label: text, cursor: fc.nat(200) }), { nil: undefined }),
    confirm: fc.option(text, { nil: undefined }),
    message: fc.option(text, { nil: undefined }),
  })
  .map(({ screen, id, prompt, confirm, message, draft, scroll, filter, ...rest }) => ({
    ...initialUi(),
    ...rest,
    screen,
    back: ['run'],
    filter,
    find: filter.slice(0, 2),
    idea: id,
    answering: id,
    drafts: { [id]: draft },
    scroll: {
      [screen]: scroll,
      'idea agent': scroll,
      'idea timeline': scroll,
      'idea gate': scroll,
      'idea task': scroll,
    },
    selected: { [screen]: { id } },
    ...(prompt ? { prompt: { ...prompt, kind: 'command' as const } } : {}),
    ...(confirm === undefined ? {} : { confirm }),
    ...(message === undefined ? {} : { message: { text: message } }),
  }));

const details: fc.Arbitrary<Details> = fc
  .record({ id: ids, now: text, quiet: fc.nat(1e7), error: text, stands: fc.nat(5) })
  .map(({ id, now, quiet, error, stands }) => ({
    ...noDetails(),
    nowOf: new Map([[id, now]]),
    quietMs: new Map([[id, quiet]]),
    report: { runId: 'r', lines: [error, now] },
    idea: {
      id,
      ...(quiet % 2 === 0 ? { serial: quiet % 10 } : {}),
      stream: [
        { at: NOW, text: now },
        { text: error, more: true as const },
      ],
      toolCalls: quiet,
      tokensIn: quiet,
      lastSign: NOW,
      diff: { base: error, files: [{ path: error, added: quiet, deleted: quiet, look: now }], lines: [error, now] },
      gateOutput: { total: quiet, lines: [error, now] },
      lastWords: error,
      why: { score: quiet, parts: [{ label: now, value: 1 }], waitsFor: [error] },
    },
    history: {
      runs: [
        {
          runId: id,
          startedAt: NOW,
          outcome: 'terminated' as const,
          agents: [error],
          target: { from: error, to: now },
          open: [{ id, state: 'failed' as const, reason: error, since: now }],
          done: [{ id, iterations: quiet, ms: quiet, added: quiet }],
          look: [{ what: now, text: error }],
        },
      ],
    },
    ...(stands === 0 ? { standstill: { kind: 'failing' as const, since: NOW, tries: 4, error, log: error } } : {}),
  }));

describe('any run', () => {
  it('fits into any terminal, with nothing that could steer it', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.array(text, { minLength: 1, maxLength: 4 }),
        ui,
        details,
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 5, max: 60 }),
        fc.boolean(),
        (events, names, chosen, told, columns, rows, ascii) => {
          const model = newModel({ project: 'p', runId: 'r', name: names[0] ?? '', target: names[1] ?? 'main' }, [
            idea('g', names[2] ?? 'group', { blue: true }),
            idea('a', names[3] ?? 'a', { parent: 'g', dependsOn: ['b-1'] }),
          ]);
          for (const one of events) fold(model, { at: new Date(NOW).toISOString(), ...one } as StampedEvent);
          const size = { columns, rows };
          const { lines, cursor } = compose(model, chosen, told, size, { colour: true, ascii }, NOW + 1000);
          expect(lines.length).toBeLessThanOrEqual(rows - 1);
          for (const one of lines) {
            const plain = plainLine(one);
            expect(lineWidth(one), plain).toBeLessThanOrEqual(columns);
            expect(plain).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
            if (ascii) expect(plain).toMatch(/^[\x20-\x7e]*$/);
          }
          if (cursor) {
            expect(cursor.line).toBeLessThan(lines.length);
            expect(cursor.column).toBeLessThan(columns);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
