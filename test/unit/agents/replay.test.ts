/** The claude and codex adapters against recorded runs of the real CLIs, replayed by a real process. */
import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../src/protocol/activities.js';
import { execute, replay } from './helpers.js';

type Expected = 'ok' | 'timeout' | Extract<AgentOutcome, { kind: 'failed' }>['failure'];
const kindOf = (outcome: AgentOutcome): Expected => (outcome.kind === 'failed' ? outcome.failure : outcome.kind);

const CLAUDE: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['empty', 'ok'],
  ['429', 'limited'],
  ['529', 'transient'],
  ['oauth-quota', 'limited'],
  ['new-quota', 'limited'],
  ['billing', 'limited'],
  ['new-no-key', 'auth'],
  ['new-oauth-401', 'auth'],
  ['new-refused', 'transient'],
  ['badflag', 'config'],
  ['new-root-no-sandbox', 'config'],
  ['400ctx', 'agent'],
  ['loop-maxturns', 'agent'],
  ['new-loop-budget', 'agent'],
  ['new-maxtok', 'agent'],
  ['hang-sigterm', 'killed'],
  ['shell-sigkill', 'killed'],
  ['new-shell-sigint', 'killed'],
  ['hang-sigint', 'launch'],
];
const CODEX: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['429', 'limited'],
  ['quota', 'limited'],
  ['529', 'transient'],
  ['idle-timeout', 'transient'],
  ['401', 'auth'],
  ['no-key', 'auth'],
  ['404', 'config'],
  ['400ctx', 'agent'],
  ['shell-sigint', 'agent'],
  ['hang-sigterm', 'killed'],
  ['resume-missing', 'launch'],
];

describe.each([
  ['claude', CLAUDE],
  ['codex', CODEX],
] as const)('%s, recorded', (adapter, cases) => {
  it.each(cases)('%s is %s', async (fixture, expected) => {
    const result = await execute({ adapter, command: await replay(`${adapter}/${fixture}`) });
    expect([kindOf(result.outcome), result.outcome]).toEqual([expected, result.outcome]);
    expect(result.left).toEqual([]);
    if (expected === 'ok' && fixture !== 'empty') {
      expect(result.finalMessage).toBe('All done <promise>COMPLETE</promise>');
      expect(result.turns).toBeGreaterThan(0);
      expect(result.usage?.inputTokens).toBeGreaterThan(1000);
      expect(result.usage?.outputTokens).toBeGreaterThan(0);
      expect(result.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    }
    if (result.outcome.kind === 'failed') expect(result.outcome.message).not.toBe('');
  });
});

describe('details of recorded runs', () => {
  it('says when a limit ends', async () => {
    const { outcome } = await execute({ adapter: 'claude', command: await replay('claude/oauth-quota') });
    expect(outcome).toMatchObject({ failure: 'limited', resetAt: 1_795_231_411_000 });
  });

  it('gives the cost that claude reports, and none for codex', async () => {
    const claude = await execute({ adapter: 'claude', command: await replay('claude/tool') });
    expect(claude.usage).toEqual({ inputTokens: 2600, outputTokens: 68, costUsd: expect.closeTo(0.0138, 6) });
    const codex = await execute({ adapter: 'codex', command: await replay('codex/tool') });
    expect(codex.usage).toEqual({ inputTokens: 2400, outputTokens: 68 });
  });

  it.each([
    ['claude', 'claude/new-401', 'auth'],
    ['codex', 'codex/429long', 'limited'],
    ['codex', 'codex/refused', 'transient'],
  ] as const)(
    '%s: a CLI that sits in a retry when the clock runs out failed for that reason (%s)',
    async (adapter, fixture, kind) => {
      const { outcome } = await execute({ adapter, command: await replay(fixture) }, { idleMs: 1500 });
      expect(outcome).toMatchObject({ kind: 'failed', failure: kind });
    },
  );

  it('a CLI that just hangs is idle', async () => {
    const { outcome } = await execute({ adapter: 'codex', command: await replay('codex/stdin-open') }, { idleMs: 300 });
    expect(outcome).toEqual({ kind: 'timeout', why: 'idle' });
  });
});
