/** The account gate: one limit state for all slots. Features: B8, G6. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { AccountBreakers, PROBE_MS } from '../../../../src/decide/accounts/breaker.js';
import { LAUNCH_FAILURES } from '../../../../src/decide/accounts/reopening.js';
import { clip, MAX_REASON } from '../../../../src/decide/text.js';
import type { LimitState, Trouble, TroubleKind } from '../../../../src/protocol/limits.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import { settings } from '../support.js';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function gatesOf(
  over: Partial<RunSettings> = {},
  fallback: string[] = [],
): { gates: AccountBreakers; state: LimitState } {
  const state: LimitState = {
    agents: { default: 'claude', fallback, accounts: { claude: 'claude:1', opus: 'claude:1', codex: 'codex:2' } },
    gates: [],
  };
  return { gates: new AccountBreakers(state, settings(over)), state };
}
const trouble = (kind: TroubleKind, more: Partial<Trouble> = {}): Trouble => ({
  ...{ kind, agent: 'claude', message: `${kind} it said` },
  ...more,
});
const gate = (state: LimitState, key = 'claude:1') => state.gates.find((one) => one.key === key);
/** Lets the parked gate be tried by `idea`, which is refused again. */
function refuseAgain(
  gates: AccountBreakers,
  state: LimitState,
  kind: TroubleKind,
  idea = 'a',
  resetInMs?: number,
): number {
  const at = gates.wakeAt() ?? Number.NaN;
  gates.tick(at);
  expect(gates.choose(idea, ['claude'], at)).toEqual({ agent: 'claude', probe: true });
  gates.begun(idea, at);
  gates.trouble(idea, trouble(kind, resetInMs === undefined ? {} : { resetAt: at + resetInMs }), at);
  return (state.gates[0]?.until ?? Number.NaN) - at;
}

describe('B8 waits', () => {
  it('back off 5 s x 3^n, then in long steps, where no time is stated', () => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('limited'), NOW);
    const waits = [(gate(state)?.until ?? 0) - NOW];
    for (let i = 0; i < 7; i++) waits.push(refuseAgain(gates, state, 'limited'));
    expect(waits).toEqual([5000, 15_000, 45_000, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, HOUR]);
  });

  it('grow where the stated time proves wrong again and again, and stay at it where it is later', () => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('limited', { resetAt: NOW + 1000 }), NOW);
    const waits = Array.from({ length: 6 }, () => refuseAgain(gates, state, 'limited', 'a', 1000));
    expect(waits).toEqual([5000, 15_000, 45_000, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE]);
    expect(refuseAgain(gates, state, 'limited', 'a', 5 * HOUR)).toBeGreaterThanOrEqual(5 * HOUR);
  });

  it('honour a stated time, and never try before it', () => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('limited', { resetAt: NOW + HOUR }), NOW);
    const until = gate(state)?.until ?? 0;
    expect(until).toBeGreaterThanOrEqual(NOW + HOUR);
    expect(until).toBeLessThan(NOW + HOUR + 5000);
    expect(gates.wakeAt()).toBe(until);
    gates.tick(NOW + HOUR);
    expect(gates.choose('a', ['claude'], NOW + HOUR)).toBeUndefined();
    gates.tick(until);
    expect(gates.choose('a', ['claude'], until)).toEqual({ agent: 'claude', probe: true });
  });

  test.each([
    ['in the past', NOW - 1],
    ['now', NOW],
    ['nine days away', NOW + 9 * 24 * HOUR],
    ['not a number', Number.NaN],
  ])('a stated time %s counts as none', (_name, resetAt) => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('limited', { resetAt }), NOW);
    expect(gate(state)).toMatchObject({ until: NOW + 5000, hits: 1 });
  });

  it('with no retries allowed go to the long steps at once', () => {
    const { gates, state } = gatesOf({ maxRateLimitRetries: 0 });
    gates.trouble('a', trouble('limited'), NOW);
    expect(gate(state)).toMatchObject({ until: NOW + 5 * MINUTE });
    expect(gate(state)?.brief).toBeUndefined();
  });
});

describe('one state for all slots', () => {
  it('three slots that run into the limit together count once; the latest stated end holds', () => {
    const { gates, state } = gatesOf();
    for (const idea of ['a', 'b', 'c']) gates.trouble(idea, trouble('limited'), NOW);
    expect(state.gates).toHaveLength(1);
    expect(gate(state)?.hits).toBe(1);
    gates.trouble('d', trouble('limited', { resetAt: NOW + HOUR }), NOW + 1);
    gates.trouble('e', trouble('limited', { resetAt: NOW + MINUTE }), NOW + 2);
    expect(gate(state)).toMatchObject({ stated: true, hits: 1 });
    expect(gate(state)?.until).toBeGreaterThanOrEqual(NOW + HOUR);
  });

  it('agents that share the account wait too, others do not', () => {
    const { gates } = gatesOf();
    gates.trouble('a', trouble('limited', { agent: 'opus', account: 'claude:1', resetAt: NOW + HOUR }), NOW);
    expect(gates.couldUse(['claude'])).toBe(false);
    expect(gates.choose('b', ['claude'], NOW)).toBeUndefined();
    expect(gates.choose('b', ['codex'], NOW)).toEqual({ agent: 'codex' });
  });

  it('half-open: one idea goes first, the others follow when its run went well', () => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('limited'), NOW);
    gates.tick(NOW + 5000);
    expect(gates.choose('a', ['claude'], NOW + 5000)).toEqual({ agent: 'claude', probe: true });
    expect(gates.choose('b', ['claude'], NOW + 5000)).toBeUndefined();
    expect(gates.couldUse(['claude'])).toBe(false);
    gates.begun('a', NOW + 5001);
    expect(gates.recovered('b')).toEqual([]);
    gates.recovered('a');
    expect(state.gates).toEqual([]);
    expect(gates.choose('b', ['claude'], NOW + 5002)).toEqual({ agent: 'claude' });
  });

  it('a try that runs for minutes without being refused opens the gate', () => {
    const { gates } = gatesOf();
    gates.trouble('a', trouble('limited'), NOW);
    gates.tick(NOW + 5000);
    gates.choose('a', ['claude'], NOW + 5000);
    gates.begun('a', NOW + 6000);
    expect(gates.wakeAt()).toBe(NOW + 6000 + PROBE_MS);
    gates.tick(NOW + 6000 + PROBE_MS - 1);
    expect(gates.allOpen).toBe(false);
    gates.tick(NOW + 6000 + PROBE_MS);
    expect(gates.allOpen).toBe(true);
  });

  it('the right to try goes on when its idea ends, or does not begin', () => {
    const { gates } = gatesOf();
    gates.trouble('a', trouble('limited'), NOW);
    gates.tick(NOW + 5000);
    gates.choose('a', ['claude'], NOW + 5000);
    gates.release('a');
    expect(gates.choose('b', ['claude'], NOW + 5000)).toEqual({ agent: 'claude', probe: true });
    gates.tick(NOW + 5000 + PROBE_MS);
    expect(gates.choose('c', ['claude'], NOW + 5000 + PROBE_MS)).toEqual({ agent: 'claude', probe: true });
  });

  it('a straggler does not use up the retries', () => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('limited'), NOW);
    gates.tick(NOW + 5000);
    gates.choose('a', ['claude'], NOW + 5000);
    gates.trouble('b', trouble('limited'), NOW + 5001);
    expect(gate(state)).toMatchObject({ state: 'probing', hits: 1, probe: { idea: 'a' } });
  });
});

describe('fallback', () => {
  const list = ['claude', 'codex'];

  test.each([
    ['a brief limit is waited for', trouble('limited'), undefined],
    ['a stated end within seconds, too', trouble('limited', { resetAt: NOW + 10_000 }), undefined],
    ['a stated end far away hands over at once', trouble('limited', { resetAt: NOW + HOUR }), { agent: 'codex' }],
    ['a login that has run out, too', trouble('auth'), { agent: 'codex' }],
    ['a first failed launch is waited for', trouble('launch'), undefined],
  ] as const)('%s', (_name, what, expected) => {
    const { gates } = gatesOf({}, ['codex']);
    gates.trouble('a', what, NOW);
    expect(gates.choose('a', list, NOW)).toEqual(expected);
  });

  it('takes over once the retries are used up', () => {
    const { gates, state } = gatesOf({}, ['codex']);
    gates.trouble('a', trouble('limited'), NOW);
    for (let i = 0; i < 2; i++) refuseAgain(gates, state, 'limited');
    expect(gates.choose('a', list, gates.wakeAt() ?? 0)).toBeUndefined();
    refuseAgain(gates, state, 'limited');
    expect(gates.choose('a', list, NOW)).toEqual({ agent: 'codex' });
  });

  it('goes back to the primary: one idea tries it, the others when that went well', () => {
    const { gates } = gatesOf({}, ['codex']);
    gates.trouble('a', trouble('limited', { resetAt: NOW + HOUR }), NOW);
    const later = gates.wakeAt() ?? 0;
    expect(gates.review('a', list, 'codex', NOW)).toEqual({ agent: 'codex' });
    gates.tick(later);
    expect(gates.review('a', list, 'codex', later)).toEqual({ agent: 'claude', probe: true });
    expect(gates.review('b', list, 'codex', later)).toEqual({ agent: 'codex' });
    gates.recovered('a');
    expect(gates.review('b', list, 'codex', later)).toEqual({ agent: 'claude' });
  });

  it('stays where it is when told not to go back', () => {
    const { gates } = gatesOf({ recoverPrimary: false }, ['codex']);
    expect(gates.review('a', list, 'codex', NOW)).toEqual({ agent: 'codex' });
  });

  it('waits when all are limited, and gives the right to try back in order', () => {
    const { gates } = gatesOf({}, ['codex']);
    gates.trouble('a', trouble('limited', { resetAt: NOW + 2 * HOUR }), NOW);
    gates.trouble('a', trouble('limited', { agent: 'codex', resetAt: NOW + HOUR }), NOW);
    expect(gates.choose('a', list, NOW)).toBeUndefined();
    expect(gates.why(list)).toMatch(/claude is at a usage limit until .*; codex is at a usage limit until /);
    const codex = gates.wakeAt() ?? 0;
    gates.tick(codex);
    expect(gates.choose('a', list, codex)).toEqual({ agent: 'codex', probe: true });
  });

  it('an idea told to give its slot back is not told to use nothing', () => {
    const { gates } = gatesOf();
    gates.trouble('a', trouble('auth'), NOW);
    expect(gates.review('b', ['claude'], 'claude', NOW)).toBeUndefined();
    expect(gates.review('b', ['claude'], '', NOW)).toBeUndefined();
  });
});

describe('what only a person fixes', () => {
  it('auth has no end of its own; retry lets one idea try', () => {
    const { gates, state } = gatesOf();
    gates.trouble('a', trouble('auth'), NOW);
    expect(gates.wakeAt()).toBeUndefined();
    gates.tick(NOW + 100 * HOUR);
    expect(gate(state)?.state).toBe('parked');
    expect(gates.retry('codex')).toEqual([]);
    expect(gates.retry('claude')).toHaveLength(1);
    expect(gates.choose('a', ['claude'], NOW)).toEqual({ agent: 'claude', probe: true });
  });

  it.each([['claude:1'], ['opus'], [undefined]])('retry by account, by agent, or all: %s', (which) => {
    const { gates } = gatesOf();
    gates.trouble('a', trouble('limited', { resetAt: NOW + HOUR }), NOW);
    expect(gates.retry(which)).toHaveLength(1);
    expect(gates.couldUse(['claude'])).toBe(true);
  });
});

describe('launches', () => {
  it('three in a row, of whatever ideas, park the agent and not its account', () => {
    const { gates, state } = gatesOf({}, ['codex']);
    for (const idea of ['a', 'b', 'c']) gates.trouble(idea, trouble('launch'), NOW);
    expect(gate(state, 'agent:claude')).toMatchObject({ hits: LAUNCH_FAILURES, until: NOW + 10 * MINUTE });
    expect(gates.choose('a', ['opus'], NOW)).toEqual({ agent: 'opus' });
    expect(gates.choose('a', ['claude', 'codex'], NOW)).toEqual({ agent: 'codex' });
    expect(gates.why(['claude'])).toContain('does not start');
    for (const idea of ['a', 'b', 'c']) gates.trouble(idea, trouble('launch', { message: 'x'.repeat(400) }), NOW);
    expect(clip(gates.why(['claude']) ?? '', MAX_REASON)).toMatch(/…\); .*ralphctl limits retry$/);
  });

  it('one that works in between starts the count anew', () => {
    const { gates, state } = gatesOf();
    const wait = () => (gate(state, 'agent:claude')?.until ?? 0) - NOW;
    gates.trouble('a', trouble('launch'), NOW);
    expect(wait()).toBe(2000);
    gates.tick(NOW + 2000);
    gates.choose('a', ['claude'], NOW + 2000);
    gates.recovered('a');
    gates.trouble('a', trouble('launch'), NOW);
    expect(gate(state, 'agent:claude')?.hits).toBe(1);
  });
});

describe('properties', () => {
  const agents = fc.constantFrom('claude', 'opus', 'codex');
  const ideas = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({
      ...{ do: fc.constant('trouble' as const), idea: ideas, agent: agents },
      kind: fc.constantFrom<TroubleKind>('limited', 'auth', 'launch'),
      reset: fc.option(fc.integer({ min: -HOUR, max: 10 * HOUR }), { nil: undefined }),
    }),
    fc.record({ do: fc.constantFrom('begun' as const, 'recovered' as const, 'release' as const), idea: ideas }),
    fc.record({ do: fc.constant('choose' as const), idea: ideas, agent: agents }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3 * HOUR }) }),
    fc.record({ do: fc.constant('retry' as const), agent: fc.option(agents, { nil: undefined }) }),
  );

  it('at most one idea tries a gate, nobody else passes, and what is not a person’s business opens in the end', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { gates, state } = gatesOf({}, ['codex']);
        let now = NOW;
        for (const one of steps) {
          if (one.do === 'trouble') {
            const resetAt = one.reset === undefined ? {} : { resetAt: now + one.reset };
            gates.trouble(one.idea, trouble(one.kind, { agent: one.agent, ...resetAt }), now);
          } else if (one.do === 'begun') gates.begun(one.idea, now);
          else if (one.do === 'recovered') gates.recovered(one.idea);
          else if (one.do === 'release') gates.release(one.idea);
          else if (one.do === 'retry') gates.retry(one.agent);
          else if (one.do === 'pass') {
            now += one.ms;
            gates.tick(now);
          } else if (one.do === 'choose') {
            const key = state.agents.accounts[one.agent];
            const closed = state.gates.filter((g) => g.key === key || g.key === `agent:${one.agent}`);
            const passes = closed.every((g) => g.state === 'probing' && (!g.probe || g.probe.idea === one.idea));
            const choice = gates.choose(one.idea, [one.agent], now);
            expect(choice !== undefined).toBe(passes);
            expect(choice?.probe === true).toBe(passes && closed.length > 0);
          }
          for (const g of state.gates) {
            if (g.state === 'parked') expect(g.probe).toBeUndefined();
            if (g.state === 'parked' && g.kind !== 'auth') expect(g.until).toBeGreaterThan(0);
          }
          expect(new Set(state.gates.map((g) => g.key)).size).toBe(state.gates.length);
        }
        // Left alone, with one idea that tries and is never refused, every gate opens but those for a person.
        for (let i = 0; i < 20; i++) {
          now = Math.max(now, gates.wakeAt() ?? now);
          gates.tick(now);
          for (const agent of ['claude', 'opus', 'codex'])
            if (gates.choose('z', [agent], now)?.probe) gates.recovered('z');
        }
        const needsPerson = state.gates.some((g) => g.kind === 'auth');
        if (!needsPerson) expect(state.gates).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
