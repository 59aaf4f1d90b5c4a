/** The matrix of real CLIs must not be content with a row that only has the right kind. Features: B1 B8. */
import { describe, expect, it } from 'vitest';
import { type Judged, wrongWith } from '../../agents/rig/judge.js';
import { CASES, type Case, type Kind } from '../../agents/rig/scenarios.js';

const NOW = 1_800_000_000_000;
const named = (name: string): Case => {
  const found = CASES.find((one) => one.name === name);
  if (!found) throw new Error(`no case ${name}`);
  return found;
};
const row = (more: Partial<Judged>): Judged => ({
  ...{ kind: 'ok', message: '', signal: 'complete', exitCode: 0, requests: 2, left: [] },
  ...more,
});
const judge = (name: string, more: Partial<Judged>, kind: Kind = named(name).expected) =>
  wrongWith(row(more), named(name), kind, NOW);

const failed = { kind: 'limited', message: 'limit', signal: 'none', exitCode: 1 } as const;

describe('B1: a row of the matrix', () => {
  it('is good when everything is as the case asks', () => {
    expect(judge('write', { written: 'hello from the model' })).toEqual([]);
    expect(judge('usage-subscription', { ...failed, resetAt: NOW + 3_600_000 })).toEqual([]);
    expect(judge('empty', { signal: 'none' })).toEqual([]);
    expect(judge('refused', { ...failed, kind: 'transient', requests: 0 })).toEqual([]);
    expect(judge('loop', { kind: 'timeout', signal: 'none', exitCode: null })).toEqual([]);
    expect(judge('no-key', { ...failed, kind: 'auth', requests: 0 })).toEqual([]);
  });

  it.each<[string, Partial<Judged>, RegExp]>([
    ['write', { written: '' }, /by-agent.txt holds ""/],
    ['write', { written: 'something else' }, /by-agent.txt holds "something else"/],
    ['text', { signal: 'none' }, /signal none/],
    ['empty', { signal: 'complete' }, /signal complete/],
    ['429', { ...failed, signal: 'complete' }, /signal complete/],
    ['text', { kind: 'agent', message: 'x', signal: 'none' }, /agent, not ok/],
    ['text', { left: ['sleep 300'] }, /left: sleep 300/],
    ['text', { exitCode: 7 }, /exit code 7/],
    ['text', { requests: 0 }, /no request/],
    ['429', { ...failed, message: ' ' }, /no words/],
    ['refused', { ...failed, kind: 'transient', requests: 1 }, /1 requests to nobody/],
    ['429-hour', { ...failed, resetAt: NOW + 60_000 }, /a reset -3540 s from the stated one/],
  ])('%s: %o is not good', (name, more, what) => {
    expect(judge(name, more)).toEqual([expect.stringMatching(what)]);
  });

  it('an exception for a CLI changes the kind only', () => {
    expect(judge('empty', { kind: 'agent', message: 'empty', signal: 'none' }, 'agent')).toEqual([]);
    expect(judge('empty', { kind: 'agent', message: 'empty', signal: 'complete' }, 'agent')).toHaveLength(1);
  });
});
