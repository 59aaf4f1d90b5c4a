/** Trouble of one idea, and trouble of its agent. Features: B4 B7 B8. */
import { describe, expect, it } from 'vitest';
import { MOST_UNANSWERED } from '../../../../src/decide/accounts/own-trouble.js';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import type { Trouble, TroubleKind } from '../../../../src/protocol/limits.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import { card, decided, pilotOf, stats, statusOf } from '../support.js';

const NOW = 1_000_000_000;
const MINUTE = 60_000;

function pilotWith(ids: string[], over: Partial<RunSettings> = {}, fallback: string[] = []): Autopilot {
  const agents = { default: 'claude', fallback, accounts: { claude: 'claude:1', codex: 'codex:2' } };
  const pilot = pilotOf(
    ids.map((id) => card(id)),
    over,
    [],
    { agents },
  );
  decided(pilot, false, NOW);
  return pilot;
}
function report(pilot: Autopilot, idea: string, more: object, now: number): string[] {
  const entry = pilot.graph.entry(idea);
  const head = { idea, life: entry?.life ?? 0, seq: (entry?.seq ?? 0) + 1, iterations: stats(0) };
  pilot.report({ ...head, kind: 'parked', ...more }, now);
  return decided(pilot, false, now);
}
const troubled = (pilot: Autopilot, idea: string, kind: TroubleKind, now: number, more: Partial<Trouble> = {}) =>
  report(pilot, idea, { trouble: { kind, agent: 'claude', message: 'exit 3', ...more } }, now);
const worked = (pilot: Autopilot, idea: string, now: number) =>
  report(pilot, idea, { kind: 'recovered', worked: { agent: 'claude', at: now } }, now);

describe('B4 launches of one idea', () => {
  it('close nothing, wait longer each time, and end the idea after its tries', () => {
    const pilot = pilotWith(['a', 'b', 'c'], { slots: 2, maxRetries: 2, retryBaseMs: 2000 });
    expect(troubled(pilot, 'a', 'launch', NOW)).toEqual(['start c @1 claude']);
    expect(pilot.state.limits?.gates).toEqual([]);
    expect(pilot.wakeAt()).toBe(NOW + 2000);
    report(pilot, 'b', { kind: 'needs-human', reason: '?' }, NOW + 1);
    expect(decided(pilot, false, NOW + 1999)).toEqual([]);
    expect(decided(pilot, false, NOW + 2000)).toEqual(['grant a @2 claude']);
    expect(troubled(pilot, 'a', 'launch', NOW + 3000)).toEqual([]);
    expect(decided(pilot, false, NOW + 7000)).toEqual(['grant a @2 claude']);
    expect(troubled(pilot, 'a', 'launch', NOW + 8000)).toEqual(['close a']);
    report(pilot, 'a', { kind: 'closed', outcome: 'failed', reason: 'launch: exit 3' }, NOW + 8001);
    expect(statusOf(pilot, 'a')).toBe('failed');
    expect(pilot.wakeAt()).toBeUndefined();
  });

  it.each([
    ['skip', 'skipped'],
    ['abort', 'failed'],
  ] as const)('B7: with strategy %s the first one ends it as %s', (errorStrategy, outcome) => {
    const pilot = pilotWith(['a', 'b'], { slots: 1, errorStrategy });
    const report = { idea: 'a', life: 1, seq: 1, kind: 'parked' as const, iterations: stats(0) };
    pilot.report({ ...report, trouble: { kind: 'launch', agent: 'claude', message: 'exit 3' } }, NOW);
    expect(pilot.decide(false, NOW)).toContainEqual({
      ...{ do: 'verdict', idea: 'a' },
      verdict: {
        kind: 'close',
        outcome,
        reason: 'claude ended right at its start once: exit 3. Its output: ralphctl logs a',
      },
    });
  });

  it('a second idea within ten minutes closes the agent, and an idea that had no part in it tries first', () => {
    const pilot = pilotWith(['a', 'b', 'c', 'd'], { slots: 2 });
    expect(troubled(pilot, 'a', 'launch', NOW)).toEqual(['start c @1 claude']);
    expect(troubled(pilot, 'b', 'launch', NOW + 1)).toEqual(['agent c park']);
    const [gate] = pilot.state.limits?.gates ?? [];
    expect(gate).toMatchObject({ key: 'agent:claude', state: 'parked', ideas: ['b', 'a'] });
    expect(decided(pilot, false, gate?.until ?? 0)).toEqual(['start d @2 claude?']);
  });

  it('eleven minutes later, or when one worked in between, a second idea closes nothing', () => {
    const later = pilotWith(['a', 'b'], { slots: 2 });
    troubled(later, 'a', 'launch', NOW);
    troubled(later, 'b', 'launch', NOW + 11 * MINUTE);
    expect(later.state.limits?.gates).toEqual([]);
    const proven = pilotWith(['a', 'b', 'c'], { slots: 3 });
    troubled(proven, 'a', 'launch', NOW);
    worked(proven, 'c', NOW + 1);
    troubled(proven, 'b', 'launch', NOW + 2);
    expect(proven.state.limits?.gates).toEqual([]);
  });

  it('a run that got to work opens the agent at once', () => {
    const pilot = pilotWith(['a', 'b', 'c'], { slots: 3 });
    troubled(pilot, 'a', 'launch', NOW);
    expect(troubled(pilot, 'b', 'launch', NOW + 1)).toEqual(['agent c park']);
    expect(worked(pilot, 'c', NOW + 2)).toContain('agent c claude');
    expect(pilot.state.limits?.gates).toEqual([]);
  });
});

describe('B8 an outage', () => {
  it('closes the account for seconds, then minutes; with a fallback that takes over', () => {
    for (const fallback of [[], ['codex']]) {
      const pilot = pilotWith(['a'], {}, fallback);
      const waits: number[] = [];
      let now = NOW;
      let told = troubled(pilot, 'a', 'provider', now);
      for (let n = 0; n < 7 && told.length === 0; n++) {
        const wake = pilot.wakeAt() ?? Number.NaN;
        waits.push(wake - now);
        now = wake;
        expect(decided(pilot, false, now)).toEqual(['grant a @1 claude?']);
        report(pilot, 'a', { kind: 'probing' }, now);
        told = troubled(pilot, 'a', 'provider', now);
      }
      const seconds = [5000, 15_000, 45_000];
      if (fallback.length > 0) expect([waits, told]).toEqual([seconds, ['grant a @1 codex']]);
      else expect(waits).toEqual([...seconds, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 10 * MINUTE]);
      expect(pilot.state.failuresInARow).toBe(0);
    }
  });

  it('of one idea alone closes nothing once others got an answer, and asks after five', () => {
    const pilot = pilotWith(['a', 'b'], { slots: 2 });
    troubled(pilot, 'a', 'provider', NOW);
    expect(pilot.state.limits?.gates).toHaveLength(1);
    expect(worked(pilot, 'b', NOW + 10)).toContain('grant a @1 claude');
    let now = NOW + 20;
    for (let n = 1; n < MOST_UNANSWERED; n++) {
      expect(troubled(pilot, 'a', 'provider', now)).toEqual([]);
      expect(pilot.state.limits?.gates).toEqual([]);
      now = pilot.wakeAt() ?? Number.NaN;
      expect(decided(pilot, false, now)).toEqual(['grant a @1 claude']);
    }
    expect(troubled(pilot, 'a', 'provider', now)).toEqual(['ask a']);
    expect(statusOf(pilot, 'a')).toBe('needs-human');
    expect(pilot.wakeAt()).toBeUndefined();
  });

  it('a run of 0.1 closes the agent after three launches of whatever ideas, as it did', () => {
    const pilot = pilotWith(['a', 'b'], { slots: 2, ownTrouble: undefined });
    expect(troubled(pilot, 'a', 'launch', NOW)).toEqual(['agent b park']);
    expect(pilot.state.limits?.gates).toMatchObject([{ key: 'agent:claude', hits: 1 }]);
  });
});

describe('B4 ideas whose worker is lost again and again', () => {
  const lost = (pilot: Autopilot, idea: string, now: number) => report(pilot, idea, { lost: 2 }, now);

  it('run one at a time, beside others, until one of their runs has worked', () => {
    const pilot = pilotWith(['a', 'b', 'c'], { slots: 3 });
    expect(lost(pilot, 'a', NOW)).toEqual(['grant a @1 claude']);
    expect(lost(pilot, 'b', NOW + 1)).toEqual([]);
    expect(lost(pilot, 'a', NOW + 2)).toEqual(['grant b @1 claude']);
    expect(worked(pilot, 'b', NOW + 3)).toEqual(['grant a @2 claude']);
    expect(statusOf(pilot, 'c')).toBe('running');
  });

  it('let the next one go when the one that runs asks, pauses or ends', () => {
    for (const more of [
      { kind: 'needs-human', reason: '?' },
      { kind: 'paused' },
      { kind: 'closed', outcome: 'stopped' },
    ]) {
      const pilot = pilotWith(['a', 'b', 'c'], { slots: 3 });
      lost(pilot, 'a', NOW);
      lost(pilot, 'b', NOW + 1);
      expect(report(pilot, 'a', more, NOW + 2).join()).toContain('grant b');
    }
  });
});

describe('B7 strategy skip', () => {
  it('leaves the idea out: it is skipped, counts as no failure, and the run goes on', () => {
    const pilot = pilotWith(['a', 'b'], { slots: 1, errorStrategy: 'skip', errorThreshold: 1 });
    report(pilot, 'a', { kind: 'closed', outcome: 'skipped', reason: 'agent: exit 1' }, NOW);
    expect(statusOf(pilot, 'a')).toBe('skipped');
    expect(pilot.state).toMatchObject({ run: 'running', failuresInARow: 0 });
    expect(statusOf(pilot, 'b')).toBe('running');
  });
});

it('B4: a message that ends with a full stop gets no second one', () => {
  const pilot = pilotWith(['a', 'b'], { slots: 1, errorStrategy: 'skip' });
  const head = { idea: 'a', life: 1, seq: 1, kind: 'parked' as const, iterations: stats(0) };
  const message = 'claude exited with code 3 and said nothing about it.';
  pilot.report({ ...head, trouble: { kind: 'launch', agent: 'claude', message } }, NOW);
  const said = JSON.stringify(pilot.decide(false, NOW));
  expect(said).toContain('said nothing about it. Its output: ralphctl logs a');
});
