/** Events with every text that could break a view. */
import fc from 'fast-check';
import type { RunEvent } from '../../../src/protocol/events.js';
import { IDEA_STATUSES } from '../../../src/protocol/states.js';

export const NASTY = [
  '',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>x</script>',
  '</details></main></body></html>',
  '<!-- ]]> -->',
  '&lt;b&gt; &#x3c; %3Cscript%3E javascript:alert(1)',
  '| a | b |\n|---|---|\n# head\n- [x](javascript:x) ![](http://x/) `code` ``two``',
  '\u001b[2J\u001b]0;title\u0007\u001b[31mred',
  '\u202eright to left\u2066',
  'tab\there\nnew\r\nline\u2028separator\u0000',
  '商品一覧のヘルプページを書く 👩‍👩‍👧‍👦 e\u0301\u0301',
  'x'.repeat(500),
  '\ud800 lone',
];
export const hostileText = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.string(),
);
const ids = fc.constantFrom('a', 'b-1', 'long-idea-with-a-name-of-many-cells-0123456789-0123456789', 'd');
const tests = fc.record({ passed: fc.nat(5000), failed: fc.nat(9), skipped: fc.nat(9), total: fc.nat(9999) });

const text = hostileText;
export const hostileEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({
    ...{ kind: fc.constant('idea' as const), idea: ids, title: text, status: fc.constantFrom(...IDEA_STATUSES) },
    ...{ reason: text, commit: text, agentName: fc.constantFrom('ed-001', 'ed-012', '<b>'), retries: fc.nat(20) },
  }),
  fc.record({
    ...{
      kind: fc.constant('iteration' as const),
      idea: ids,
      serial: fc.nat(9),
      iteration: fc.nat(100),
      max: fc.nat(100),
    },
    ...{ agentName: text, agent: text, model: text },
  }),
  fc.record({
    ...{ kind: fc.constant('iteration-end' as const), idea: ids, serial: fc.nat(9), iteration: fc.nat(9) },
    signal: fc.oneof(
      fc.constantFrom({ kind: 'none' as const }, { kind: 'complete' as const }),
      fc.record({ kind: fc.constant('progress' as const), percent: fc.nat(100) }),
      fc.record({ kind: fc.constant('needs-human' as const), question: text }),
    ),
    ...{ outcome: fc.constantFrom('ok' as const, 'failed' as const), message: text, words: text },
    ...{ durationMs: fc.nat(10_000_000), commits: fc.nat(1000) },
    usage: fc.record({ costUsd: fc.double({ min: 0, max: 1e6, noNaN: true }), inputTokens: fc.nat() }),
  }),
  fc.record({
    ...{ kind: fc.constant('gate' as const), idea: ids, pass: fc.boolean(), command: text, tests, log: text },
    ...{ durationMs: fc.nat(1e6), newTests: fc.array(text, { maxLength: 2 }), flaky: fc.array(text, { maxLength: 2 }) },
    tripwires: fc.array(text, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('asks' as const),
    idea: ids,
    asking: fc.constant('question' as const),
    question: text,
  }),
  fc.record({
    kind: fc.constant('command' as const),
    idea: ids,
    verb: fc.constantFrom('hint', 'answer'),
    text,
    done: text,
  }),
  fc.record({ kind: fc.constant('agent' as const), idea: ids, agent: text, before: text }),
  fc.record({ kind: fc.constant('warning' as const), warning: fc.constant('stuck' as const), text }),
  fc.record({
    kind: fc.constant('account' as const),
    account: fc.record({
      ...{ key: text, agents: fc.array(text, { maxLength: 2 }), reason: text },
      ...{
        state: fc.constantFrom('parked' as const, 'open' as const),
        kind: fc.constantFrom('limited' as const, 'auth' as const),
      },
    }),
  }),
  fc.record({
    ...{
      kind: fc.constant('run' as const),
      state: fc.constantFrom('running' as const, 'paused' as const, 'aborted' as const),
    },
    ...{ why: text, landed: fc.nat(9), total: fc.nat(9) },
  }),
);
