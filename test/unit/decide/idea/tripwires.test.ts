import { describe, expect, it } from 'vitest';
import { afterGate } from '../../../../src/decide/idea/completion.js';
import { isApproval, tripwireKey } from '../../../../src/decide/idea/tripwires.js';
import { bounceOf, landingQuestion } from '../../../../src/decide/run/bounce.js';
import type { IdeaLimits } from '../../../../src/protocol/activities.js';
import type { RunAgentResult } from '../../../../src/protocol/agent-run.js';
import type { GateResult, Tripwire } from '../../../../src/protocol/gate.js';

const LIMITS: IdeaLimits = {
  maxIterations: 5,
  timeoutMs: 1000,
  iterationTimeoutMs: 1000,
  loop: true,
  allowEmpty: false,
};
const run = (kind: 'complete' | 'none'): RunAgentResult => ({
  outcome: { kind: 'ok' },
  signal: { kind },
  durationMs: 1,
  exitCode: 0,
  head: 'h',
  commits: 1,
  changed: true,
  tail: '',
  dir: '/d',
});
const green = (tripwires: Tripwire[]): GateResult => ({ pass: true, commands: [], durationMs: 1, tripwires });
const failure = { command: 'make', exitCode: 1, timedOut: false, tail: 'no', log: '/l' };
const red = (more: object): GateResult => ({
  pass: false,
  commands: [],
  durationMs: 1,
  failure: { ...failure, ...more },
});
const gone: Tripwire = { kind: 'deleted-test', subject: 'a.test.js' };
const skip: Tripwire = { kind: 'new-skip', subject: 'b.test.js: it.skip' };

describe('a green gate with tripwires (B3)', () => {
  it('asks before it lands, with what a yes would approve', () => {
    const next = afterGate(run('complete'), green([gone, skip]), LIMITS, { idea: 'i-1' });
    expect(next).toMatchObject({ do: 'ask', approve: [tripwireKey(gone), tripwireKey(skip)] });
    expect(next.do === 'ask' && next.question).toMatch(/tests are gone \(a\.test\.js\).*ralphctl approve i-1/);
  });
  it('lands when all of them are approved, and asks for the one that is not', () => {
    expect(afterGate(run('complete'), green([gone]), LIMITS, { idea: 'i-1', approved: [tripwireKey(gone)] })).toEqual({
      do: 'ready',
    });
    expect(
      afterGate(run('complete'), green([gone, skip]), LIMITS, { idea: 'i-1', approved: [tripwireKey(gone)] }),
    ).toMatchObject({
      do: 'ask',
      approve: [tripwireKey(skip)],
    });
  });
  it('lands when they only warn', () => {
    expect(afterGate(run('complete'), green([{ ...gone, warn: true }]), LIMITS, { idea: 'i-1' })).toEqual({
      do: 'ready',
    });
  });
  it('goes on without a claim: there is nothing to land yet', () => {
    expect(afterGate(run('none'), green([gone]), LIMITS, { idea: 'i-1' })).toMatchObject({ do: 'iterate' });
  });
});

describe('a gate that was red before', () => {
  it('asks a person instead of spending iterations', () => {
    expect(
      afterGate(run('complete'), red({ alreadyRed: true, knownTests: ['t'] }), LIMITS, { idea: 'i-1' }),
    ).toMatchObject({
      do: 'ask',
      question: expect.stringMatching(/red before this idea began: make .*\(t\)/),
    });
  });
  it('says what is missing where the gate could not run at all (B3)', () => {
    const cannotRun = 'xo: command not found in a fresh worktree: no set-up is configured.';
    const next = afterGate(run('complete'), red({ alreadyRed: true, cannotRun }), LIMITS, { idea: 'i-1' });
    expect(next).toMatchObject({ do: 'ask', question: expect.stringContaining(cannotRun) });
    // An answer to a question that names this key takes a changed configuration along.
    expect(next).toMatchObject({ question: expect.stringContaining('gate.baseline') });
    expect(next).not.toMatchObject({ question: expect.stringContaining('red before') });
  });
  it('tells old failures from new ones in the next prompt', () => {
    const next = afterGate(run('complete'), red({ newTests: ['n'], knownTests: ['o'] }), LIMITS, { idea: 'i-1' });
    expect(next).toMatchObject({ do: 'iterate', feedback: { newTests: ['n'], knownTests: ['o'] } });
  });
  it('on the merged tree asks, too (D1)', () => {
    const result = { kind: 'red', onto: 'o', candidate: 'c', gate: red({ alreadyRed: true }), durationMs: 1 } as const;
    expect(landingQuestion(result)).toMatch(/red before this idea began/);
    expect(bounceOf(result).feedback.kind).toBe('landing-red');
  });
});

it.each(['ok', 'OK.', 'yes', ' lgtm ', 'land it', 'Approved!'])('"%s" approves', (text) =>
  expect(isApproval(text)).toBe(true),
);
it.each(['ok but keep the test', 'no', 'yesterday', '', 'land'.repeat(2)])('"%s" is for the agent', (text) =>
  expect(isApproval(text)).toBe(false),
);
