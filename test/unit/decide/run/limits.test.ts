/** What the autopilot does with limits: who waits, who goes first, who goes on with another agent. Features: A1, B8, C1. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { afterRun } from '../../../../src/decide/idea/completion.js';
import { Autopilot, firstState } from '../../../../src/decide/run/autopilot.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import type { FailureKind } from '../../../../src/protocol/failures.js';
import type { IdeaCard } from '../../../../src/protocol/idea.js';
import type { Trouble } from '../../../../src/protocol/limits.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import { context, PROGRESS, runOf } from '../iteration.js';
import { randomFrom } from '../random.js';
import { card, decided, landedResult, say, settings, statusOf } from '../support.js';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;

function pilotWith(cards: IdeaCard[], fallback: string[] = [], over: Partial<RunSettings> = {}): Autopilot {
  const all = settings({ slots: 3, ...over });
  const agents = { default: 'claude', fallback, accounts: { claude: 'claude:1', codex: 'codex:2' } };
  const opened = { agentsQueue: 'agents', gitQueue: 'git', target: 'main', cards, landed: [], agents };
  return new Autopilot(firstState(opened, all, 0), all);
}
const limited = (more: Partial<Trouble> = {}): { trouble: Trouble } => ({
  trouble: { kind: 'limited', agent: 'claude', message: 'hit your limit', resetAt: NOW + HOUR, ...more },
});
function parked(pilot: Autopilot, idea: string, more: Partial<Trouble> = {}, now = NOW): void {
  const entry = pilot.graph.entry(idea);
  const report = { idea, life: entry?.life ?? 0, seq: (entry?.seq ?? 0) + 1, kind: 'parked' as const };
  pilot.report({ ...report, iterations: { count: 0, totalMs: 0, minMs: 0, maxMs: 0 }, ...limited(more) }, now);
}
function sayAt(pilot: Autopilot, idea: string, kind: 'probing', now: number): void {
  const entry = pilot.graph.entry(idea);
  const iterations = { count: 0, totalMs: 0, minMs: 0, maxMs: 0 };
  pilot.report({ idea, life: entry?.life ?? 0, seq: (entry?.seq ?? 0) + 1, kind, iterations }, now);
}
const view = (pilot: Autopilot, now = NOW) =>
  runStatus({ project: 'p', runId: 'r' }, pilot.state, settings(), pilot.graph, now);

describe('B8 in the autopilot', () => {
  it('the first limited run parks the account: no idea starts on it, those at work learn, the run stands still', () => {
    const pilot = pilotWith(['a', 'b', 'c', 'd'].map((id) => card(id)));
    expect(decided(pilot, false, NOW)).toEqual(['start a @1 claude', 'start b @2 claude', 'start c @3 claude']);
    parked(pilot, 'a');
    expect(decided(pilot, false, NOW)).toEqual(['agent b park', 'agent c park']);
    expect(statusOf(pilot, 'a')).toBe('wants-slot');
    expect(view(pilot).state).toBe('running');
    parked(pilot, 'b');
    say(pilot, 'c', 'parked');
    expect(decided(pilot, false, NOW)).toEqual([]);
    expect(view(pilot)).toMatchObject({ state: 'paused', resumesAt: pilot.wakeAt() });
    expect(view(pilot).why).toContain('claude is at a usage limit until');
    expect(pilot.isOver()).toBe(false);
  });

  it('when the limit is over one idea goes first, then all, and none is forgotten', () => {
    const pilot = pilotWith(['a', 'b', 'c', 'd'].map((id) => card(id)));
    decided(pilot, false, NOW);
    for (const idea of ['a', 'b', 'c']) parked(pilot, idea);
    const later = pilot.wakeAt() ?? 0;
    expect(decided(pilot, false, later - 1)).toEqual([]);
    expect(decided(pilot, false, later)).toEqual(['grant a @1 claude?']);
    expect(view(pilot).state).toBe('running');
    expect(decided(pilot, false, later + 1)).toEqual([]);
    say(pilot, 'a', 'probing');
    say(pilot, 'a', 'recovered');
    expect(decided(pilot, false, later + 2)).toEqual(['grant b @2 claude', 'grant c @3 claude']);
    expect(pilot.state.limits?.gates).toEqual([]);
  });

  it('a try that is refused parks all of them again', () => {
    const pilot = pilotWith(['a', 'b'].map((id) => card(id)));
    decided(pilot, false, NOW);
    for (const idea of ['a', 'b']) parked(pilot, idea);
    const later = pilot.wakeAt() ?? 0;
    decided(pilot, false, later);
    parked(pilot, 'a', { resetAt: later + HOUR }, later);
    expect(decided(pilot, false, later)).toEqual([]);
    expect(view(pilot).resumesAt).toBeGreaterThanOrEqual(later + HOUR);
  });

  it('goes on with the fallback at once, and comes back idea by idea', () => {
    const pilot = pilotWith(
      ['a', 'b'].map((id) => card(id)),
      ['codex'],
    );
    decided(pilot, false, NOW);
    parked(pilot, 'a');
    expect(decided(pilot, false, NOW)).toEqual(['grant a @1 codex', 'agent b codex']);
    const later = pilot.wakeAt() ?? 0;
    expect(decided(pilot, false, later)).toEqual(['agent a claude?']);
    say(pilot, 'a', 'recovered');
    expect(decided(pilot, false, later)).toEqual(['agent b claude']);
  });

  it('ideas with an agent of their own go on while another account waits', () => {
    const pilot = pilotWith([card('a'), card('b'), card('own', { agent: 'codex' })], [], { slots: 1 });
    expect(decided(pilot, false, NOW)).toEqual(['start a @1 claude']);
    parked(pilot, 'a');
    expect(decided(pilot, false, NOW)).toEqual(['start own @1 codex']);
    expect(view(pilot).state).toBe('running');
  });

  it('auth parks without an end: the run waits for a person, and retry lets one idea try', () => {
    const pilot = pilotWith([card('a'), card('b')], [], { slots: 1 });
    decided(pilot, false, NOW);
    parked(pilot, 'a', { kind: 'auth', message: 'please run /login' });
    expect(decided(pilot, false, NOW + 100 * HOUR)).toEqual([]);
    expect(view(pilot)).toMatchObject({ state: 'paused' });
    expect(view(pilot).resumesAt).toBeUndefined();
    expect(view(pilot).why).toContain('ralphctl limits retry');
    expect(pilot.command({ verb: 'retry-limit', text: 'claude' })).toHaveProperty('done');
    expect(decided(pilot, false, NOW)).toEqual(['grant a @1 claude?']);
  });

  it('a pause by a person is not undone by the end of a limit; a stop ends those who wait', () => {
    const pilot = pilotWith([card('a')]);
    decided(pilot, false, NOW);
    parked(pilot, 'a');
    pilot.pause('mine');
    expect(decided(pilot, false, (pilot.wakeAt() ?? 0) + 1)).toEqual(['pause a']);
    expect(view(pilot)).toMatchObject({ state: 'paused', why: 'mine' });
    pilot.resume();
    expect(decided(pilot, false, NOW + 2 * HOUR)).toEqual(['resume a', 'grant a @1 claude?']);
    pilot.stop();
    expect(decided(pilot, false, NOW + 2 * HOUR)).toEqual(['stop a']);
  });

  it('the right to try goes on to another idea when its holder ends', () => {
    const pilot = pilotWith([card('a'), card('b')]);
    decided(pilot, false, NOW);
    for (const idea of ['a', 'b']) parked(pilot, idea);
    const later = pilot.wakeAt() ?? 0;
    expect(decided(pilot, false, later)).toEqual(['grant a @1 claude?']);
    say(pilot, 'a', 'closed', { outcome: 'failed', reason: 'config: no such model' });
    expect(decided(pilot, false, later)).toEqual(['grant b @1 claude?']);
  });

  it('carries the gates over a continue-as-new', () => {
    const pilot = pilotWith([card('a'), card('b')]);
    decided(pilot, false, NOW);
    parked(pilot, 'a');
    const again = new Autopilot(JSON.parse(JSON.stringify(pilot.state)), settings());
    expect(again.wakeAt()).toBe(pilot.wakeAt());
    expect(decided(again, false, NOW)).toEqual(['agent b park']);
  });

  it('a run of a version without gates goes on as before', () => {
    const all = settings();
    const opened = { agentsQueue: 'agents', gitQueue: 'git', target: 'main', cards: [card('a')], landed: [] };
    const pilot = new Autopilot(firstState(opened, all, 0), all);
    expect(decided(pilot, false, NOW)).toEqual(['start a @1']);
    expect(pilot.wakeAt()).toBeUndefined();
  });
});

describe('after a run', () => {
  const PARKS = { limited: 'limited', auth: 'auth', launch: 'launch', transient: 'provider' } as const;
  const kinds: FailureKind[] = ['config', 'killed', 'agent', 'context', 'budget'];
  kinds.push(...(Object.keys(PARKS) as (keyof typeof PARKS)[]));

  test.each(kinds)('B4 B8: %s parks the idea only where its account, provider or program is at fault', (failure) => {
    const run = runOf(PROGRESS, { outcome: { kind: 'failed', failure, message: 'it said' } });
    const next = afterRun(run, context({ gated: true, failures: 99, limited: 99 }));
    const kind = failure in PARKS ? PARKS[failure as keyof typeof PARKS] : undefined;
    if (kind) expect(next).toEqual({ do: 'park', trouble: { kind, message: 'it said' } });
    else expect(next.do).not.toBe('park');
    expect(afterRun(run, context()).do).not.toBe('park');
  });

  test('B8: a run of 0.1 goes on as it began: an outage is tried again and then fails the idea', () => {
    const run = runOf(PROGRESS, { outcome: { kind: 'failed', failure: 'transient', message: 'it said' } });
    const old = { gated: true, settings: settings({ ownTrouble: undefined }) };
    expect(afterRun(run, context(old)).do).toBe('rerun');
    expect(afterRun(run, context({ ...old, failures: 2 }))).toMatchObject({ do: 'close', outcome: 'failed' });
  });
});

/** Children that use what they are told, agents that are limited at random for a while, and a clock that only moves when nothing else does. */
function simulate(
  seed: number,
  ideas: number,
  slots: number,
  fallback: string[],
  /** Ideas with which no run ever gets to work, and how. */
  broken: ReadonlyMap<string, 'launch' | 'provider'> = new Map(),
): { ended: Map<string, number>; closed: string[]; asked: string[] } {
  const random = randomFrom(seed);
  const ids = Array.from({ length: ideas }, (_, i) => `i${i}`);
  const pilot = pilotWith(
    // An agent that one idea alone uses cannot be told from that idea.
    ids.map((id, i) => card(id, i % 3 === 2 && broken.size === 0 ? { agent: 'codex' } : {})),
    fallback,
    { slots, errorThreshold: 0 },
  );
  let now = NOW;
  let troubles = broken.size > 0 ? 0 : 30;
  const [ended, closed, asked] = [new Map<string, number>(), [] as string[], [] as string[]];
  const working = new Map<string, { agent: string; probe: boolean; park?: boolean }>();
  const follow = (): void => {
    for (const command of pilot.decide(false, now)) {
      if (command.do === 'land') {
        ended.set(command.idea, now);
        pilot.landed(command.idea, landedResult());
      } else if (command.do === 'verdict' && command.verdict.kind === 'close') {
        closed.push(command.idea);
        const { outcome, reason } = command.verdict;
        say(pilot, command.idea, 'closed', { outcome, reason });
      } else if (command.do === 'verdict' && command.verdict.kind === 'ask') asked.push(command.idea);
      else if (command.do === 'start' || command.do === 'grant') {
        expect(command.choice).toBeDefined();
        working.set(command.idea, { agent: command.choice?.agent ?? '', probe: command.choice?.probe ?? false });
      } else if (command.do === 'agent') {
        const child = working.get(command.idea);
        if (child && command.choice)
          working.set(command.idea, { ...command.choice, probe: command.choice.probe ?? false });
        else if (child) child.park = true;
      }
    }
  };
  for (let step = 0; step < 5000; step++) {
    follow();
    if (pilot.isOver() || (broken.size > 0 && now - NOW > 12 * HOUR)) return { ended, closed, asked };
    now += 1;
    const [idea, child] = [...working][random(Math.max(1, working.size))] ?? [];
    if (idea === undefined || !child) {
      const wake = pilot.wakeAt();
      // All that is left has asked a person.
      if (wake === undefined && ended.size + closed.length + asked.length === ideas) return { ended, closed, asked };
      if (wake === undefined) expect(pilot.command({ verb: 'retry-limit' })).toHaveProperty('done');
      now = Math.max(now, wake ?? now);
      continue;
    }
    if (child.park) {
      working.delete(idea);
      say(pilot, idea, 'parked');
      continue;
    }
    if (child.probe) {
      const others = [...working].filter(([id, one]) => id !== idea && one.probe && one.agent === child.agent);
      expect(others).toEqual([]);
      sayAt(pilot, idea, 'probing', now);
    }
    const always = broken.get(idea);
    if (always || (troubles > 0 && random(2) === 0)) {
      troubles -= 1;
      working.delete(idea);
      const kind =
        always ?? (['limited', 'limited', 'auth', 'launch', 'provider', 'provider'] as const)[random(6)] ?? 'limited';
      parked(
        pilot,
        idea,
        { kind, agent: child.agent, resetAt: random(2) === 0 ? now + random(HOUR) : Number.NaN },
        now,
      );
      continue;
    }
    if (child.probe) {
      child.probe = false;
      say(pilot, idea, 'recovered', { worked: { agent: child.agent, at: now } });
    }
    if (random(3) === 0) {
      working.delete(idea);
      say(pilot, idea, 'ready', { worked: { agent: child.agent, at: now } });
    }
  }
  throw new Error(`no end in sight: ${JSON.stringify(pilot.state)}`);
}

describe('B8 properties', () => {
  it('whatever agents are closed and when, every idea lands or ends by launches of its own, and no two try one account at a time', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (seed, ideas, slots, other) => {
          const { ended, closed, asked } = simulate(seed, ideas, slots, other ? ['codex'] : []);
          expect(ended.size + closed.length + asked.length).toBe(ideas);
        },
      ),
      { numRuns: 200 },
    );
  }, 120_000);

  it('ideas with which no run gets to work end, or ask, and hold up nobody for long', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 4, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('launch' as const, 'provider' as const), { minLength: 1, maxLength: 3 }),
        (seed, ideas, slots, kinds) => {
          const broken = new Map(kinds.map((kind, i) => [`i${i}`, kind]));
          const { ended, closed, asked } = simulate(seed, ideas, slots, [], broken);
          expect([...ended.keys()].filter((idea) => broken.has(idea))).toEqual([]);
          expect(ended.size).toBe(ideas - broken.size);
          expect(closed.sort()).toEqual([...broken.keys()].filter((idea) => broken.get(idea) === 'launch'));
          expect(asked.filter((idea) => broken.get(idea) !== 'provider')).toEqual([]);
          // No wait of more than some seconds for ideas that have nothing to do with it.
          expect(Math.max(...ended.values()) - NOW).toBeLessThan(15 * 60_000);
        },
      ),
      { numRuns: 200 },
    );
  }, 120_000);
});

describe('B4 an idea that goes to another agent', () => {
  const passed = (pilot: Autopilot, agent: string, now = NOW) => {
    say(pilot, 'a', 'parked', { passed: agent });
    return decided(pilot, false, now);
  };

  it('goes round its agents, and nobody else is moved', () => {
    const pilot = pilotWith([card('a'), card('b')], ['codex', 'gemini']);
    expect(decided(pilot, false, NOW)).toEqual(['start a @1 claude', 'start b @2 claude']);
    expect(passed(pilot, 'claude')).toEqual(['grant a @1 codex']);
    expect(passed(pilot, 'codex')).toEqual(['grant a @1 gemini']);
    expect(passed(pilot, 'gemini')).toEqual(['grant a @1 claude']);
  });

  it('keeps the agent it has where there is no other', () => {
    const pilot = pilotWith([card('a')]);
    decided(pilot, false, NOW);
    expect(passed(pilot, 'claude')).toEqual(['grant a @1 claude']);
  });

  it('does not go to an agent at its limit, goes there when that is over, and never back to the one it passed', () => {
    const pilot = pilotWith([card('a'), card('b', { agent: 'codex' })], ['codex', 'gemini']);
    decided(pilot, false, NOW);
    parked(pilot, 'b', { agent: 'codex' });
    decided(pilot, false, NOW);
    expect(passed(pilot, 'claude')).toEqual(['grant a @1 gemini']);
    const told: string[] = [];
    for (let n = 0; n < 5; n++) told.push(...decided(pilot, false, pilot.wakeAt() ?? NOW + 2 * HOUR));
    expect(told).toContain('agent a codex?');
    expect(told.join()).not.toContain('claude');
  });

  it('begins with its own agent when it starts anew', () => {
    const pilot = pilotWith([card('a')], ['codex']);
    decided(pilot, false, NOW);
    passed(pilot, 'claude');
    say(pilot, 'a', 'closed', { outcome: 'stopped' });
    expect(decided(pilot, false, NOW)).toEqual(['start a @1 claude']);
  });
});
