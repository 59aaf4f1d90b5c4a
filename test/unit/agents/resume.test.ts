import { describe, expect, test } from 'vitest';
import { sessionIsGone, sessionToResume } from '../../../src/agents/account.js';
import type { AgentOutcome } from '../../../src/protocol/agent-run.js';
import type { FailureKind } from '../../../src/protocol/failures.js';

const KINDS: FailureKind[] = [
  ...(['transient', 'limited', 'auth', 'config', 'context', 'budget', 'killed', 'launch', 'agent'] as const),
];
const failed = (failure: FailureKind): AgentOutcome => ({ kind: 'failed', failure, message: 'x' });
const session = { id: 's1', iteration: 3, agent: 'claude' };
const now = { iteration: 3, agent: 'claude' };

describe('B2: going on with a conversation', () => {
  test.each(KINDS)('after %s', (kind) => {
    const expected = kind === 'transient' || kind === 'killed' ? 's1' : undefined;
    expect(sessionToResume({ outcome: failed(kind), session }, now)).toBe(expected);
  });

  test.each([
    ['the next iteration', { ...now, iteration: 4 }],
    ['another agent', { ...now, agent: 'codex' }],
    ['another step of the plan (B9)', { ...now, step: 1 }],
  ])('never in %s', (_what, other) => {
    expect(sessionToResume({ outcome: failed('killed'), session }, other)).toBeUndefined();
  });

  test('never after a good run, a timeout, or without one', () => {
    expect(sessionToResume({ outcome: { kind: 'ok' }, session }, now)).toBeUndefined();
    expect(sessionToResume({ outcome: { kind: 'timeout', why: 'idle' }, session }, now)).toBeUndefined();
    expect(sessionToResume({ outcome: failed('killed') }, now)).toBeUndefined();
    expect(sessionToResume(undefined, now)).toBeUndefined();
  });

  test.each(KINDS)('%s without a turn: is the conversation gone?', (kind) => {
    expect(sessionIsGone(failed(kind), 0)).toBe(kind === 'launch' || kind === 'agent' || kind === 'config');
    expect(sessionIsGone(failed(kind), 1)).toBe(false);
    expect(sessionIsGone({ kind: 'ok' }, 0)).toBe(false);
  });
});
