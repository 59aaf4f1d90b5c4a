import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runLine } from '../../../src/client/views/idea-lines.js';
import { lineOf } from '../../../src/client/views/idea-report.js';
import { clean, liveLine } from '../../../src/client/views/live-lines.js';
import { landedText } from '../../../src/decide/text.js';
import type { AgentSignal } from '../../../src/protocol/agent-run.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { signalWords } from '../../../src/screen/words/signal-words.js';

const AT = '2026-03-04T05:06:07.000Z';
const stamped = (event: RunEvent): StampedEvent => ({ ...event, at: AT });
/** The line without its time, which depends on the zone of the machine. */
const line = (event: RunEvent): string | undefined => liveLine(stamped(event), false)?.replace(/^\d\d:\d\d:\d\d /, '');
const ideaEvent = (status: IdeaStatus, more: Partial<Extract<RunEvent, { kind: 'idea' }>> = {}): RunEvent => ({
  kind: 'idea',
  idea: 'a-1',
  title: 'Add login',
  status,
  ...more,
});
const END = {
  kind: 'iteration-end',
  idea: 'a-1',
  serial: 4,
  iteration: 3,
  signal: { kind: 'none' },
  outcome: 'ok',
  durationMs: 65_000,
  commits: 0,
} as const satisfies RunEvent;
const TESTS = { passed: 4, failed: 2, skipped: 0, total: 6 };

const LINES: [string, RunEvent, string | undefined][] = [
  ['run', { kind: 'run', state: 'running', landed: 1, total: 5 }, 'run running (1/5 landed)'],
  [
    'run with a reason',
    { kind: 'run', state: 'paused', why: 'lunch', landed: 1, total: 5 },
    'run paused: lunch (1/5 landed)',
  ],
  [
    'run with ideas that landed in earlier runs',
    { kind: 'run', state: 'running', landed: 5, before: 4, total: 11 },
    'run running (5/11 landed, 4 of them before this run)',
  ],
  ['iteration', { kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 50, agentName: 'ed-001' }, undefined],
  ['iteration-end without a signal', END, '· a-1 iteration 3: (no signal), 1m05s'],
  ['one commit', { ...END, commits: 1, signal: { kind: 'complete' } }, '· a-1 iteration 3: COMPLETE, 1 commit, 1m05s'],
  [
    'G3 a COMPLETE that does not count says why',
    { ...END, signal: { kind: 'complete' }, turnedDown: 'no change' },
    '· a-1 iteration 3: COMPLETE, turned down: no change, 1m05s',
  ],
  [
    'commits',
    { ...END, commits: 2, signal: { kind: 'progress', percent: 40 } },
    '· a-1 iteration 3: PROGRESS 40, 2 commits, 1m05s',
  ],
  ['iteration out of time', { ...END, outcome: 'timeout' }, '· a-1 iteration 3: timed out, 1m05s'],
  ['iteration failed', { ...END, outcome: 'failed', message: 'exit 1' }, '· a-1 iteration 3: failed: exit 1, 1m05s'],
  [
    'gate green',
    { kind: 'gate', idea: 'a-1', pass: true, tests: { ...TESTS, passed: 6 }, durationMs: 900 },
    '✓ a-1 gate green, 6/6 passing, 0.9s',
  ],
  [
    'gate that did not run again',
    { kind: 'gate', idea: 'a-1', merged: true, pass: true, same: 'gate of a-1', durationMs: 0 },
    '✓ a-1 gate on the merged tree green, same tree as gate of a-1',
  ],
  [
    'gate red',
    { kind: 'gate', idea: 'a-1', pass: false, command: 'npm test', tests: TESTS, durationMs: 900 },
    '✗ a-1 gate red: npm test, 4/6 passing',
  ],
  ['landing', { kind: 'landing', idea: 'a-1' }, undefined],
  [
    'bounced',
    { kind: 'bounced', idea: 'a-1', why: 'it conflicts' },
    '↺ a-1 does not land: it conflicts; its agent gets it back',
  ],
  [
    'a run that waits for assignments',
    { kind: 'run', state: 'waiting_user', landed: 1, total: 5 },
    'run waits for you to start ideas (1/5 landed)',
  ],
  [
    'parked: says the trouble in words',
    { kind: 'parked', idea: 'a-1', trouble: { kind: 'auth', agent: 'claude', message: 'no key' } },
    '◷ a-1 could not work: claude needs a login: no key',
  ],
  [
    'held by a budget, with the command',
    { kind: 'held', idea: 'a-1', why: 'the budget of the run is used up' },
    '◷ a-1 holds and keeps its work: the budget of the run is used up; to continue: ralphctl budget raise',
  ],
  [
    'warning: its kind in words',
    { kind: 'warning', idea: 'a-1', warning: 'outside', text: 'b.txt changed while a-1 ran' },
    '! a-1 changes outside its worktree: b.txt changed while a-1 ran; ralphctl warn a-1 continue|stop|+N',
  ],
  [
    'warning: its commands whole',
    { kind: 'warning', idea: 'a-1', warning: 'outside', text: `${'b'.repeat(400)}. See: less '/x/outside.txt'` },
    `! a-1 changes outside its worktree: ${'b'.repeat(400)}. See: less '/x/outside.txt'; ralphctl warn a-1 continue|stop|+N`,
  ],
  ['waiting', { kind: 'waiting', idea: 'a-1', why: 'usage limit', ms: 5000 }, '◷ a-1 waits 5.0s: usage limit'],
  [
    'delivered: advice of ralphctl itself',
    { kind: 'delivered', idea: 'a-1', serial: 4, notes: 1, fromProgram: 1 },
    '› a-1 received the advice of ralphctl (agent run 4)',
  ],
  [
    'delivered: both',
    { kind: 'delivered', idea: 'a-1', serial: 4, notes: 2, fromProgram: 1 },
    '› a-1 received your message and the advice of ralphctl (agent run 4)',
  ],
  ['answered: the command that answered says it', { kind: 'answered', idea: 'a-1' }, undefined],
  ['idea running', ideaEvent('running', { agentName: 'ed-001' }), '▸ a-1 Add login ed-001'],
  ['idea landed', ideaEvent('landed', { commit: '0123456789abcdef' }), '✓ a-1 landed 01234567'],
  [
    'idea landed with a note',
    ideaEvent('landed', { commit: '0123456789', reason: 'checkout dirty' }),
    '✓ a-1 landed 01234567: checkout dirty',
  ],
  [
    'idea asks',
    ideaEvent('needs-human', { reason: 'port?' }),
    '? a-1 asks: port?\n           answer with: ralphctl answer a-1 "…"',
  ],
  ['idea blocked', ideaEvent('blocked', { reason: 'no key' }), '⊗ a-1 blocked: no key'],
  ['idea timeout', ideaEvent('timeout', { reason: '50 of 50' }), '◔ a-1 timed out: 50 of 50; its worktree is kept'],
  ['idea failed', ideaEvent('failed', { reason: 'auth' }), '✗ a-1 failed: auth; its worktree is kept'],
  [
    'idea failed early',
    ideaEvent('failed', { reason: 'a branch blocks it', unworked: true }),
    '✗ a-1 failed: a branch blocks it',
  ],
  ['idea paused', ideaEvent('paused'), '◫ a-1 paused'],
  ['idea pending', ideaEvent('pending'), '◦ a-1 to do again'],
  ['idea wants a slot', ideaEvent('wants-slot'), undefined],
  ['idea lands', ideaEvent('landing'), undefined],
];

describe('G3 G6 live lines', () => {
  test.each(LINES)('G6: %s', (_name, event, text) => {
    expect(line(event)).toBe(text);
  });

  test('G6: a line begins with the local time of the event', () => {
    const time = new Date(AT).toTimeString().slice(0, 8);
    expect(liveLine(stamped({ kind: 'interrupted', idea: 'a', iteration: 1 }), false)).toMatch(
      new RegExp(`^${time} ◫ a `),
    );
  });

  test('G3: without colour there is no escape sequence, with colour the words are the same', () => {
    for (const [, event] of LINES) {
      const bare = liveLine(stamped(event), false);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
      expect(bare ?? '').not.toMatch(/\u001b/);
      const coloured = liveLine(stamped(event), true);
      expect(coloured && stripVTControlCharacters(coloured)).toBe(bare);
    }
  });

  test.each<[AgentSignal, string, number]>([
    [{ kind: 'progress', percent: 40 }, 'PROGRESS 40', 34],
    [{ kind: 'complete' }, 'COMPLETE', 32],
    [{ kind: 'blocked', reason: 'no key' }, 'BLOCKED: no key', 33],
    [{ kind: 'needs-human', question: 'port?' }, 'NEEDS_HUMAN: port?', 36],
    [{ kind: 'none' }, '(no signal)', 90],
  ])('G3: %o has its words without colour and its colour with it', (signal, text, colour) => {
    expect(signalWords(signal)).toBe(text);
    expect(liveLine(stamped({ ...END, signal }), true)).toContain(`\u001b[${colour}m${text}\u001b[39m`);
  });

  test('G6: what agents wrote cannot steer the terminal, whatever it is', () => {
    const foreign = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(fc.constantFrom('\u001b[2J', '\u001b]0;title\u0007', '\u009b31m', '\r', '\n', '\b', '\u0000', 'ok'), {
          maxLength: 20,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(foreign, (text) => {
        const events: RunEvent[] = [
          { kind: 'run', state: 'paused', why: text, landed: 0, total: 1 },
          { ...END, signal: { kind: 'blocked', reason: text } },
          { ...END, signal: { kind: 'needs-human', question: text } },
          { ...END, outcome: 'failed', message: text },
          { kind: 'gate', idea: 'a', pass: false, command: text, durationMs: 1 },
          { kind: 'bounced', idea: 'a', why: text },
          { kind: 'waiting', idea: 'a', why: text, ms: 1 },
          ideaEvent('blocked', { reason: text, title: text }),
          ideaEvent('running', { reason: text, title: text }),
        ];
        for (const event of events) {
          const shown = liveLine(stamped(event), false) ?? '';
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
          expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          expect(shown.length).toBeLessThan(400);
        }
      }),
    );
  });

  test('G6: colour sequences vanish whole, other control characters become one blank, long texts are cut', () => {
    expect(clean('\u001b[31mred\u001b[0m')).toBe('red');
    expect(clean('a\r\n\tb')).toBe('a b');
    expect(clean('x'.repeat(500))).toBe(`${'x'.repeat(300)}…`);
    expect(clean('abcdef', 3)).toBe('abc…');
  });
});

test('why and logs say of an agent run why its COMPLETE does not count', () => {
  const times = { startedAt: Date.parse(AT), endedAt: Date.parse(AT), durationMs: 1000 };
  const claim = { signal: { kind: 'complete' as const }, turnedDown: 'no change' };
  const run = { ...times, ...claim, serial: 4, number: 4, outcome: 'ok' as const, commits: 0 };
  expect(runLine(lineOf(run))).toMatch(/^#4 .*COMPLETE, turned down: no change, no commit$/);
});

test('the end of a run says what it landed itself, and the total apart', () => {
  expect(landedText({ landed: 11, landedBefore: 5 })).toBe('6 landed in this run (11 in all)');
  expect(landedText({ landed: 5, landedBefore: 5 })).toBe('0 landed in this run (5 in all)');
  expect(landedText({ landed: 6 })).toBe('6 landed');
  expect(landedText({ landed: 6, total: 9 })).toBe('6 of 9 ideas landed');
  expect(landedText({ landed: 11, landedBefore: 5, total: 40 })).toBe('6 landed in this run (11 of 40 in all)');
});
