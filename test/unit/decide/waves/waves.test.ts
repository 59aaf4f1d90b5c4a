/** The waves of a run: when one is planned, when it is over, and what ends them. Features: E1 E2. */
import { describe, expect, it } from 'vitest';
import { wavesLines } from '../../../../src/client/views/wave-lines.js';
import { noteAlerts, takeAlerts } from '../../../../src/decide/alerts/arising.js';
import { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import type { AlertSettings } from '../../../../src/protocol/alerts.js';
import { elsewhereText } from '../../../../src/protocol/claimed-elsewhere.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import type { PlanWaveResult, WavesLine } from '../../../../src/protocol/waves.js';
import { card, closed, decided, landedResult, pilotOf, say, settings, statusOf } from '../support.js';

const WAVES = { maxWaves: 3, batchSize: 2 };

const run = (over: Partial<RunSettings> = {}): Autopilot =>
  pilotOf([], { slots: 1, errorThreshold: 0, waves: WAVES, ...over });

const plan = (pilot: Autopilot, ids: readonly string[], now = 0, more: Partial<PlanWaveResult> = {}): void => {
  pilot.enqueue(ids.map((id) => card(id)));
  const taken = ids.map((idea) => ({ idea, tier: 'T1' as const, score: 1 }));
  const about = { open: 9, left: 3, rejected: 0, fresh: [], leftOut: 0 };
  pilot.waves.planned({ kind: 'planned', cards: [], taken, ...about, ...more } as PlanWaveResult, now);
};

const land = (pilot: Autopilot, idea: string): void => {
  say(pilot, idea, 'ready');
  expect(decided(pilot)).toContain(`land ${idea}`);
  pilot.landed(idea, landedResult());
};

const states = (pilot: Autopilot): string[] => {
  const { before, after } = pilot.waves.takeNews();
  return [...before, ...after].map((event) => (event.kind === 'wave' ? `${event.wave} ${event.state}` : event.report));
};

describe('E1 a wave', () => {
  it('is planned before anything starts, runs one idea after another, and the next one follows its end', () => {
    const pilot = run();
    expect(decided(pilot)).toEqual(['wave 1']);
    expect([decided(pilot), pilot.isOver()]).toEqual([[], false]);
    plan(pilot, ['a', 'b']);
    expect(decided(pilot)).toEqual(['start a @1']);
    say(pilot, 'a', 'ready');
    // The next one begins on what this one has changed.
    expect(decided(pilot)).toEqual(['land a']);
    pilot.landed('a', landedResult());
    expect(decided(pilot)).toEqual(['landed a', 'start b @1']);
    closed(pilot, 'a', 'landed');
    closed(pilot, 'b', 'failed');
    expect(decided(pilot, false, 700)).toEqual(['wave 2']);
    expect(pilot.state.waves?.done).toEqual([
      { wave: 1, attempted: 2, passed: 1, failed: 1, skipped: 0, waiting: 0, ms: 700, dollars: 0 },
    ]);
    expect(states(pilot)).toEqual(['1 began', '1 ended']);
  });

  it('is not held up by a question or by a pull request; both go on in the next one', () => {
    const pilot = run({ slots: 2, delivery: { mode: 'pr', to: 'origin/main', retryMs: 1000, pollMs: 1000 } });
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    say(pilot, 'a', 'needs-human', { reason: 'which colour?' });
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual(['land b']);
    const pull = { number: 1, url: 'u', candidate: 'c', onto: 'o' };
    pilot.landed('b', { kind: 'in-review', pull, durationMs: 1 });
    expect(decided(pilot)).toEqual(['wave 2', 'look b']);
    expect(pilot.state.waves?.done).toMatchObject([{ attempted: 2, passed: 1, waiting: 1, failed: 0 }]);
    plan(pilot, [], 0, { left: 0 });
    decided(pilot);
    // Both are still open, so the run is.
    expect([pilot.state.waves?.end, pilot.isOver()]).toEqual(['empty', false]);
  });

  it('is not waited for by a run that stops before its plan is there, and is told of no more', () => {
    const pilot = run();
    decided(pilot);
    pilot.stop('enough');
    expect([decided(pilot), pilot.isOver()]).toEqual([[], false]);
    pilot.waves.unplanned();
    expect([decided(pilot), pilot.isOver(), states(pilot)]).toEqual([[], true, []]);
  });

  it('counts an idea that somebody else has as skipped, and not as attempted', () => {
    const pilot = run();
    decided(pilot);
    plan(pilot, ['a']);
    decided(pilot);
    closed(pilot, 'a', 'skipped', 'eva has it in the tracker');
    decided(pilot);
    expect(pilot.state.waves?.done).toMatchObject([{ attempted: 0, passed: 0, skipped: 1, failed: 0, elsewhere: 1 }]);
  });

  it('counts apart what somebody else has, and what a person skipped', () => {
    const pilot = run({ waves: { ...WAVES, batchSize: 4 } });
    decided(pilot);
    plan(pilot, ['a', 'b', 'c', 'd']);
    decided(pilot);
    const long = 'x'.repeat(280);
    closed(pilot, 'a', 'skipped', elsewhereText(long));
    decided(pilot);
    closed(pilot, 'b', 'skipped', elsewhereText('run r of another ralphctl', 'ralphctl retry b --take-over'));
    decided(pilot);
    closed(pilot, 'c', 'skipped', 'pull request 4 was closed by eva: it has it all');
    pilot.command({ verb: 'skip', idea: 'd', reason: 'eva has it in the tracker', id: 'c-1' });
    decided(pilot);
    expect(pilot.state.waves?.done).toMatchObject([{ skipped: 4, elsewhere: 2 }]);
    const [ended] = pilot.waves.takeNews().after;
    expect(ended).toMatchObject({ state: 'ended', skipped: 4, elsewhere: 2 });
  });

  it('is not held up by a landing that waits for an approval; the next one begins (A6)', () => {
    const pilot = run({ stepLanding: true });
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    pilot.state.mode = 'step';
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['start b @1']);
    closed(pilot, 'b', 'failed');
    expect(statusOf(pilot, 'a')).toBe('landing');
    expect(decided(pilot)).toEqual(['wave 2']);
    expect(pilot.state.waves?.done).toMatchObject([{ attempted: 2, passed: 0, failed: 1, waiting: 1 }]);
  });

  it('waits for such a landing in a run that has decided so', () => {
    const all = settings({ slots: 1, errorThreshold: 0, waves: WAVES, stepLanding: true });
    const old = run({ stepLanding: true });
    const pilot = new Autopilot(old.state, all, (rule) => rule !== 'waves-pass-approvals');
    decided(pilot);
    plan(pilot, ['a']);
    decided(pilot);
    pilot.state.mode = 'step';
    say(pilot, 'a', 'ready');
    expect([decided(pilot), pilot.state.waves?.phase]).toEqual([[], 'working']);
  });

  it('ends only when what landed has been pushed, or is known not to be', () => {
    const pilot = run({ delivery: { mode: 'push', to: 'origin/main', retryMs: 60_000 } });
    decided(pilot);
    plan(pilot, ['a']);
    decided(pilot);
    land(pilot, 'a');
    closed(pilot, 'a', 'landed');
    expect(decided(pilot)).toEqual(['landed a', 'push']);
    pilot.pushed({ kind: 'held', cause: 'unreachable', why: 'down', ideas: ['a'] }, 0);
    expect(decided(pilot)).toEqual(['wave 2']);
  });

  it('waits for a source that cannot be read, and asks a person where only one can fix it', () => {
    const pilot = run();
    decided(pilot);
    pilot.waves.planned({ kind: 'unreadable', why: 'limits requests', at: 50_000 }, 1000);
    expect([decided(pilot, false, 1000), pilot.wakeAt(), pilot.isOver()]).toEqual([[], 50_000, false]);
    expect(decided(pilot, false, 50_000)).toEqual(['wave 1']);
    pilot.waves.planned({ kind: 'unreadable', why: 'gh has no login', person: true }, 50_000);
    expect(decided(pilot, false, 60_000)).toEqual([]);
    expect([pilot.state.run, pilot.state.why]).toEqual(['paused', expect.stringContaining('gh has no login')]);
    pilot.resume();
    // Each plan of a wave knows how many came before: it tells no rejection again.
    const [next] = pilot.waves.next(70_000);
    expect(next).toEqual({ do: 'wave', wave: 1, most: 2, again: 2 });
    expect(states(pilot)).toEqual(['1 waits', '1 waits']);
  });

  it('books what an agent used that read its reports, for run and day, and tells it', () => {
    const pilot = run({ budget: { run: { dollars: 1 }, warnAt: 0.8, during: true } });
    expect(pilot.waves.next(0)).toMatchObject([{ do: 'wave', ceilings: { run: { dollars: 1 } } }]);
    const spent = { iterations: 0, ms: 4000, tokens: 900, dollars: 0.25, unknownTokens: 0, unknownDollars: 0 };
    const read = { agent: 'claude', reports: 7, byRules: 2, why: 'triage.most is 7', spent };
    plan(pilot, ['a'], 0, { read } as Partial<PlanWaveResult>);
    expect([pilot.state.budget?.run, pilot.state.totals.spent]).toEqual([spent, spent]);
    expect(pilot.waves.takeNews().before).toMatchObject([{ state: 'began', read }]);
    decided(pilot);
    closed(pilot, 'a', 'landed');
    decided(pilot);
    expect(pilot.state.waves?.done).toMatchObject([{ dollars: 0.25 }]);
  });

  it.each([[['a']], [[]]])('tells of runs that triage cannot read, when it takes %j', (taken) => {
    const pilot = run();
    decided(pilot);
    const unknownRuns = { why: 'triage does not know the work of run r: why', more: 1 };
    plan(pilot, taken, 0, { unknownRuns });
    const { before, after } = pilot.waves.takeNews();
    expect([...before, ...after]).toContainEqual(expect.objectContaining({ kind: 'wave', unknownRuns }));
  });

  it('is shown by status', () => {
    const pilot = run();
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    closed(pilot, 'a', 'blocked');
    decided(pilot);
    const ref = { project: 'p', runId: 'r' };
    const shown = runStatus(ref, pilot.state, settings({ waves: WAVES }), pilot.graph, 0);
    expect(shown.waves).toEqual({ wave: 1, of: 3, phase: 'working', batch: 2, over: 1, done: [] });
    expect(runStatus(ref, pilotOf([card('x')]).state, settings(), pilotOf([card('x')]).graph, 0).waves).toBeUndefined();
  });
});

describe('what people said before the run', () => {
  it('reaches an idea that only a wave takes', () => {
    const pilot = run();
    decided(pilot);
    const carried = {
      abandoned: [],
      hints: [{ idea: 'a', notes: ['look at the cache'] }],
      retries: [{ idea: 'a', count: 2 }],
      kept: [{ idea: 'b', verb: 'bump' as const }],
    };
    pilot.enqueue([card('a'), card('b')], carried);
    const { notes, retries } = pilot.graph.entry('a') ?? {};
    expect([notes, retries]).toEqual([['look at the cache'], 2]);
    expect(pilot.graph.entry('b')?.told).toEqual({ verb: 'bump' });
  });
});

describe('E2 no further wave', () => {
  const wave = (pilot: Autopilot, number: number, ids: string[], outcome: 'failed' | 'landed'): void => {
    plan(pilot, ids);
    for (const id of ids) {
      decided(pilot);
      if (outcome === 'landed') land(pilot, id);
      closed(pilot, id, outcome);
    }
    decided(pilot);
    expect(pilot.state.waves?.done).toHaveLength(number);
  };

  it('after two waves in a row without a success', () => {
    const pilot = run();
    decided(pilot);
    wave(pilot, 1, ['a', 'b'], 'failed');
    wave(pilot, 2, ['c'], 'failed');
    expect([pilot.state.waves?.end, pilot.isOver()]).toEqual(['no-success', true]);
  });

  it('after maxWaves', () => {
    const pilot = run();
    decided(pilot);
    for (const [at, id] of ['a', 'b', 'c'].entries()) wave(pilot, at + 1, [id], 'landed');
    expect([pilot.state.waves?.end, pilot.isOver(), decided(pilot)]).toEqual(['max-waves', true, []]);
  });

  it('where triage lets nothing through', () => {
    const pilot = run();
    decided(pilot);
    plan(pilot, []);
    expect([decided(pilot), pilot.state.waves?.end, pilot.isOver()]).toEqual([[], 'empty', true]);
    expect(states(pilot)).toEqual(['1 empty', '1 over']);
  });

  it('not while reports are left that wait for open ideas: the wave is planned again when one of these has ended', () => {
    const pilot = run({ slots: 2 });
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    say(pilot, 'a', 'needs-human', { reason: 'which colour?' });
    say(pilot, 'b', 'needs-human', { reason: 'which shape?' });
    expect(decided(pilot)).toEqual(['wave 2']);
    expect(states(pilot)).toEqual(['1 began', '1 ended']);
    plan(pilot, [], 0, { left: 2 });
    expect([decided(pilot), decided(pilot), pilot.isOver(), pilot.state.waves?.end]).toEqual([
      [],
      [],
      false,
      undefined,
    ]);
    const ref = { project: 'p', runId: 'r' };
    const shown = runStatus(ref, pilot.state, settings({ waves: WAVES }), pilot.graph, 0).waves;
    expect(shown).toMatchObject({ wave: 2, phase: 'between', waits: 2 });
    expect(wavesLines(shown as WavesLine)[0]).toBe(
      'waves: wave 2 of 3 waits: its reports depend on ideas that are open (2); it begins when one ends',
    );
    closed(pilot, 'a', 'landed');
    expect(decided(pilot)).toEqual(['wave 2']);
    // Still waiting: it is told once.
    plan(pilot, [], 0, { left: 2 });
    decided(pilot);
    closed(pilot, 'b', 'failed');
    expect(decided(pilot)).toEqual(['wave 2']);
    expect(states(pilot)).toEqual(['2 empty']);
    // Nothing is open any more, so they wait for what did not land.
    plan(pilot, [], 0, { left: 2 });
    decided(pilot);
    expect([pilot.state.waves?.end, pilot.isOver()]).toEqual(['empty', true]);
  });

  it('once the budget of the run is used up: the run ends, and does not wait for a person', () => {
    const pilot = run({ budget: { run: { iterations: 1 }, warnAt: 0.8 } });
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    const spent = { iterations: 1, ms: 5, tokens: 0, dollars: 0.25, unknownTokens: 0, unknownDollars: 0 };
    say(pilot, 'a', 'spent', { spent, course: { spent } });
    say(pilot, 'a', 'ready', { course: { spent } });
    expect([decided(pilot), pilot.state.run, pilot.state.waves?.end]).toEqual([['land a'], 'stopping', 'budget']);
    pilot.landed('a', landedResult());
    closed(pilot, 'a', 'landed');
    decided(pilot);
    expect([pilot.isOver(), statusOf(pilot, 'b')]).toEqual([true, 'pending']);
    expect(pilot.state.waves?.done[0]).toMatchObject({ passed: 1, waiting: 1 });
  });

  it.each([
    { how: 'asks a person', open: (pilot: Autopilot) => say(pilot, 'b', 'needs-human', { reason: 'which colour?' }) },
    { how: 'waits for a slot', open: (pilot: Autopilot) => say(pilot, 'b', 'wants-slot') },
  ])(
    'once the budget is used up, an idea that $how hears of it without another event, and the run ends',
    ({ open }) => {
      const pilot = run({ slots: 2, budget: { run: { iterations: 1 }, warnAt: 0.8 } });
      decided(pilot);
      plan(pilot, ['a', 'b']);
      decided(pilot);
      open(pilot);
      const spent = { iterations: 1, ms: 5, tokens: 0, dollars: 0.25, unknownTokens: 0, unknownDollars: 0 };
      say(pilot, 'a', 'spent', { spent, course: { spent } });
      closed(pilot, 'a', 'failed');
      expect(decided(pilot)).toEqual(expect.arrayContaining(['pause b', 'stop b']));
      expect(pilot.state).toMatchObject({ run: 'stopping', waves: { end: 'budget' } });
      closed(pilot, 'b', 'stopped');
      decided(pilot);
      expect([pilot.isOver(), pilot.state.waves?.phase]).toEqual([true, 'over']);
    },
  );

  it('after a stop: what runs is finished, the wave is told, and none is planned', () => {
    const pilot = run();
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    pilot.stop();
    closed(pilot, 'a', 'stopped');
    expect(decided(pilot)).not.toContain('wave 2');
    expect([pilot.isOver(), states(pilot)]).toEqual([true, ['1 began', '1 ended']]);
  });

  it('without a yes, where waves.confirm asks', () => {
    const pilot = run({ waves: { ...WAVES, confirm: true } });
    decided(pilot);
    wave(pilot, 1, ['a'], 'landed');
    // Once, and without another event.
    expect([pilot.state.run, pilot.isOver(), decided(pilot)]).toEqual(['paused', false, []]);
    expect(pilot.state.why).toContain('1 of 1 passed. Another wave? ralphctl resume');
    const alerts: AlertSettings = {
      ...{ rows: [{ name: 'ops', events: ['question'] }], groupMs: 1, urgent: [], timeZone: 'UTC' },
    };
    const alert = () => {
      noteAlerts(pilot.state, alerts, { runId: 'r', turns: [], now: 1, mayTakeBack: () => true });
      return takeAlerts(pilot.state);
    };
    const [asked, ...more] = alert().items;
    expect([asked?.text, asked?.command, more]).toEqual([pilot.state.why, 'ralphctl resume', []]);
    expect(alert().items).toEqual([]);
    pilot.resume();
    expect(alert()).toEqual({ items: [], over: [asked?.id] });
    expect(decided(pilot)).toEqual(['wave 2']);
    wave(pilot, 2, ['b'], 'landed');
    pilot.stop();
    decided(pilot);
    expect(pilot.isOver()).toBe(true);
  });

  it('asks also after a wave that ended in a paused run, once the run goes on', () => {
    const pilot = run({ waves: { ...WAVES, confirm: true } });
    decided(pilot);
    plan(pilot, ['a']);
    decided(pilot);
    pilot.pause('lunch');
    closed(pilot, 'a', 'failed');
    decided(pilot);
    expect([pilot.state.run, pilot.state.why, pilot.state.waves?.done]).toMatchObject([
      'paused',
      'lunch',
      [{ wave: 1 }],
    ]);
    pilot.resume();
    expect([decided(pilot), pilot.state.run, pilot.state.why]).toEqual([
      [],
      'paused',
      expect.stringMatching(/^wave 1 of 3 is over: 0 of 1 passed\. Another wave\?/),
    ]);
    pilot.resume();
    expect(decided(pilot)).toEqual(['wave 2']);
  });

  it('asks all ideas that are open to pause, at once', () => {
    const pilot = run({ slots: 2, waves: { ...WAVES, confirm: true } });
    decided(pilot);
    plan(pilot, ['a', 'b']);
    decided(pilot);
    say(pilot, 'a', 'needs-human', { reason: 'which colour?' });
    closed(pilot, 'b', 'failed');
    expect([decided(pilot), pilot.state.run]).toEqual([['pause a'], 'paused']);
  });

  it('survives continue-as-new at any point', () => {
    const before = run();
    decided(before);
    plan(before, ['a']);
    const after = new Autopilot(structuredClone(before.state), settings({ slots: 1, waves: WAVES }));
    expect(decided(after)).toEqual(['start a @1']);
    land(after, 'a');
    closed(after, 'a', 'landed');
    expect(decided(after)).toContain('wave 2');
    expect(after.state.waves?.done).toMatchObject([{ wave: 1, passed: 1 }]);
  });
});
