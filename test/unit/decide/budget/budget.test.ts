/** Budgets: unknown is unknown, used up is a question, nothing is discarded. Features: B6, A7. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  addSpent,
  budgetLines,
  DIMENSIONS,
  ideaQuestion,
  lineText,
  nothingSpent,
  readAnswer,
  runAllowance,
  spentBy,
  usedUp,
} from '../../../../src/decide/budget/amounts.js';
import { Autopilot, firstState } from '../../../../src/decide/run/autopilot.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import type { BudgetSettings, DayTotal, Spent } from '../../../../src/protocol/budget.js';
import { card, closed, decided, say, settings } from '../support.js';

const spent = (more: Partial<Spent>): Spent => ({ ...nothingSpent(), ...more });

describe('what a run used', () => {
  it('that a budget cut off: time and unknown use count, an iteration does not', () => {
    expect(spentBy({ durationMs: 5 }, false, true)).toEqual(spent({ ms: 5, unknownTokens: 1, unknownDollars: 1 }));
  });

  test.each([
    ['all reported', { inputTokens: 10, outputTokens: 5, costUsd: 0.5 }, { tokens: 15, dollars: 0.5 }],
    ['no money', { inputTokens: 10 }, { tokens: 10, unknownDollars: 1 }],
    ['no tokens', { costUsd: 1 }, { dollars: 1, unknownTokens: 1 }],
    ['nothing', undefined, { unknownTokens: 1, unknownDollars: 1 }],
  ])('%s: what is not reported is unknown, not zero', (_name, usage, expected) => {
    const run = { durationMs: 100, ...(usage ? { usage } : {}) };
    expect(spentBy(run, true)).toEqual(spent({ iterations: 1, ms: 100, ...expected }));
  });

  it('a run that never worked is no iteration and hides nothing', () => {
    expect(spentBy({ durationMs: 5 }, false)).toEqual(spent({ ms: 5 }));
  });

  it('adds up in any order', () => {
    const amounts = fc.record({
      ...{ iterations: fc.nat(9), ms: fc.nat(9), tokens: fc.nat(9), dollars: fc.nat(9) },
      ...{ unknownTokens: fc.nat(9), unknownDollars: fc.nat(9) },
    });
    fc.assert(
      fc.property(amounts, amounts, amounts, (a, b, c) => {
        expect(addSpent(addSpent(a, b), c)).toEqual(addSpent(a, addSpent(c, b)));
      }),
    );
  });
});

describe('budgets of an idea', () => {
  const used = { iterations: 3, minutes: 2, tokens: 900, dollars: 4.5 };
  const all = spent({ iterations: 3, ms: 120_000, tokens: 900, dollars: 4.5, unknownDollars: 2 });

  test.each(DIMENSIONS)('%s: open below the limit, used up at it, open again when raised', (dimension) => {
    const most = used[dimension];
    expect(usedUp(budgetLines('idea', { [dimension]: most * 1.01 }, undefined, all))).toBeUndefined();
    expect(usedUp(budgetLines('idea', { [dimension]: most }, undefined, all))).toMatchObject({ dimension, most });
    expect(usedUp(budgetLines('idea', { [dimension]: most }, { [dimension]: 1 }, all))).toBeUndefined();
  });

  it('says how many runs did not report', () => {
    const [line] = budgetLines('idea', { dollars: 4 }, undefined, all);
    expect(line && lineText(line)).toBe('4.5 of 4 dollars used, not counting 2 runs that did not report it');
    expect(line && ideaQuestion(line)).toMatch(/"raise".*"\+N".*"stop"/);
  });

  it('a run may use what is left, and no more than its own budget', () => {
    const lines = budgetLines('idea', { tokens: 1000, dollars: 5, minutes: 10 }, undefined, all);
    expect(runAllowance({ tokens: 50 }, lines)).toEqual({ tokens: 50, dollars: 0.5, minutes: 8 });
    expect(runAllowance(undefined, [])).toEqual({});
  });

  test.each([
    ['stop', { do: 'stop' }],
    ['Stop it', { do: 'stop' }],
    ['raise', { do: 'raise', by: { dollars: 4 } }],
    ['yes', { do: 'raise', by: { dollars: 4 } }],
    ['+2.5', { do: 'raise', by: { dollars: 2.5 } }],
    ['raise by 10', { do: 'raise', by: { dollars: 10 } }],
    ['$3', { do: 'raise', by: { dollars: 3 } }],
    ['+0', undefined],
    ['what?', undefined],
    ['', undefined],
  ])('the answer %j', (text, expected) => {
    expect(readAnswer(text, { dimension: 'dollars', most: 4, used: 5 })).toEqual(expected);
  });
});

describe('budgets of the run and the day', () => {
  const NOW = 1_000_000_000;
  const DAY = 86_400_000;
  function pilotWith(
    budget: Omit<BudgetSettings, 'warnAt'>,
    day?: DayTotal,
  ): { pilot: Autopilot; view: () => ReturnType<typeof runStatus> } {
    const all = settings({ budget: { ...budget, warnAt: 0.8 } });
    const cards = ['a', 'b', 'c', 'd', 'e'].map((id) => card(id));
    const opened = {
      agentsQueue: 'agents',
      gitQueue: 'git',
      target: 'main',
      cards,
      landed: [],
      ...(day ? { day } : {}),
    };
    const pilot = new Autopilot(firstState(opened, all, 0), all);
    return { pilot, view: () => runStatus({ project: 'p', runId: 'r' }, pilot.state, all, pilot.graph, NOW) };
  }
  const uses = (pilot: Autopilot, idea: string, more: Partial<Spent>) =>
    say(pilot, idea, 'spent', { spent: spent(more) });

  it('warns near the end, pauses at the end with a question, and goes on when it is raised', () => {
    const { pilot, view } = pilotWith({ run: { dollars: 10 } });
    decided(pilot, false, NOW);
    uses(pilot, 'a', { dollars: 8 });
    expect(decided(pilot, false, NOW)).toEqual([]);
    expect(view().warnings).toMatchObject([{ kind: 'budget', text: expect.stringContaining('8 of 10 dollars') }]);
    uses(pilot, 'b', { dollars: 2.5 });
    expect(decided(pilot, false, NOW)).toEqual(['pause a', 'pause b', 'pause c']);
    expect(view().why).toMatch(
      /budget of the run is used up: 10.5 of 10 dollars.*ralphctl budget raise.*ralphctl stop/,
    );
    // A person who only resumes does not spend more than was allowed, and hears that it would change nothing.
    expect(pilot.idleProblem({ verb: 'resume' })).toMatch(/^the run stays pausing: the budget of the run is used up/);
    expect(pilot.idleProblem({ verb: 'resume', idea: 'a' })).toBeUndefined();
    expect(view().possible).not.toContain('resume');
    expect(view().possible).toContain('budget raise');
    expect(view().resume).toBe('ralphctl budget raise');
    pilot.resume();
    decided(pilot, false, NOW);
    expect(pilot.state.run).toBe('pausing');
    expect(pilot.raiseBudget({ by: 0.1 })).toBe(true);
    expect(pilot.state.run).toBe('pausing');
    expect(pilot.raiseBudget({ by: 5 })).toBe(true);
    decided(pilot, false, NOW);
    expect(pilot.state.run).toBe('running');
    expect(pilot.idleProblem({ verb: 'resume' })).toBeUndefined();
    expect(view().budget).toMatchObject([{ scope: 'run', dimension: 'dollars', used: 10.5, most: 15.1 }]);
  });

  it('the day goes on counting from what earlier runs used, and ends by itself', () => {
    const { pilot, view } = pilotWith({ day: { tokens: 1000 } }, { spent: spent({ tokens: 990 }), endsAt: NOW + 5000 });
    decided(pilot, false, NOW);
    uses(pilot, 'a', { tokens: 10 });
    decided(pilot, false, NOW);
    for (const idea of ['a', 'b', 'c']) say(pilot, idea, 'paused');
    decided(pilot, false, NOW);
    expect(view()).toMatchObject({ state: 'paused', resumesAt: NOW + 5000 });
    expect(pilot.wakeAt()).toBe(NOW + 5000);
    decided(pilot, false, NOW + 5000);
    expect(pilot.state.run).toBe('running');
    expect(pilot.state.budget).toMatchObject({ day: nothingSpent(), dayEndsAt: NOW + 5000 + DAY });
  });

  it('a day whose end was read off a clock that was years ahead ends at its hour all the same', () => {
    const ahead = 1000 * DAY;
    const { pilot, view } = pilotWith(
      { day: { dollars: 1 } },
      { spent: spent({ dollars: 1 }), endsAt: NOW + 5000 + ahead },
    );
    decided(pilot, false, NOW + ahead);
    expect(view()).toMatchObject({ state: 'paused', resumesAt: NOW + 5000 + ahead });
    decided(pilot, false, NOW);
    expect(view()).toMatchObject({ state: 'paused', resumesAt: NOW + 5000 });
    expect(pilot.wakeAt()).toBe(NOW + 5000);
    decided(pilot, false, NOW + 5000);
    expect(pilot.state.run).toBe('running');
  });

  it('a day that was used up before the run begins starts nothing', () => {
    const { pilot } = pilotWith({ day: { dollars: 1 } }, { spent: spent({ dollars: 1 }), endsAt: NOW + 5000 });
    expect(decided(pilot, false, NOW)).toEqual([]);
    expect(pilot.state.run).toBe('paused');
  });

  it('a pause by a person is not ended by a new day or a raise', () => {
    const { pilot } = pilotWith({ day: { dollars: 1 } }, { spent: spent({}), endsAt: NOW + 5000 });
    decided(pilot, false, NOW);
    pilot.pause('mine');
    decided(pilot, false, NOW + 5001);
    pilot.raiseBudget({ by: 1 });
    expect(pilot.state).toMatchObject({ run: 'pausing', why: 'mine' });
  });

  it('refuses to raise what is not limited, and nothing at all', () => {
    const { pilot } = pilotWith({ run: { dollars: 10, tokens: 5 } });
    expect(pilot.raiseBudget({})).toBe(false);
    expect(pilot.raiseBudget({ dimension: 'dollars', by: -1 })).toBe(false);
    expect(pilot.raiseBudget({ dimension: 'dollars', by: Number.POSITIVE_INFINITY })).toBe(false);
    expect(readAnswer(`+${'9'.repeat(400)}`, { dimension: 'dollars', most: 1, used: 1 })).toBeUndefined();
    expect(pilot.raiseBudget({ scope: 'day' })).toBe(false);
    expect(pilot.raiseBudget({ dimension: 'dollars' })).toBe(true);
  });

  describe('met by agents at work', () => {
    const met = (most: number, more: object = {}) => ({
      ...{ scope: 'run' as const, dimension: 'dollars' as const, used: most + 0.2, most, unknown: 0 },
      ...more,
    });
    const during = (dollars: number) => pilotWith({ run: { dollars }, during: true });

    it('nothing begins while the rest is in use; an agent that ends lets the others try', () => {
      const { pilot, view } = during(10);
      decided(pilot, false, NOW);
      say(pilot, 'a', 'parked', { reached: met(10, { shared: true }) });
      expect(decided(pilot, false, NOW)).toEqual([]);
      expect(view()).toMatchObject({ state: 'running', active: [{ id: 'b' }, { id: 'c' }, { id: 'a' }] });
      expect(view().active[2]?.reason).toMatch(/with the use of running agents: 10.2 of 10 dollars/);
      uses(pilot, 'b', { dollars: 1 });
      expect(decided(pilot, false, NOW)).toEqual(['grant a @1']);
    });

    it('when nobody is left who could use it, it is tried again rather than waited for', () => {
      const { pilot } = during(10);
      decided(pilot, false, NOW);
      for (const idea of ['b', 'c']) closed(pilot, idea, 'blocked');
      say(pilot, 'a', 'parked', { reached: met(10, { shared: true }) });
      expect(decided(pilot, false, NOW)).toContain('grant a @1');
    });

    it('pauses when it is used up by what has ended, also where its own books do not show it', () => {
      const { pilot, view } = during(10);
      decided(pilot, false, NOW);
      say(pilot, 'a', 'parked', { reached: met(10) });
      decided(pilot, false, NOW);
      expect(view()).toMatchObject({ state: 'pausing', why: expect.stringContaining('10.2 of 10 dollars') });
      expect(pilot.raiseBudget({ by: 5 })).toBe(true);
      expect(decided(pilot, false, NOW)).toContain('grant a @1');
    });

    it('tells open ideas of a raise; what met the old budget meanwhile just goes on', () => {
      const { pilot } = during(10);
      decided(pilot, false, NOW);
      expect(pilot.ceilings).toEqual({ run: { dollars: 10 } });
      pilot.raiseBudget({ by: 5 });
      const told = pilot.decide(false, NOW).filter((command) => command.do === 'tell');
      expect(told).toMatchObject(
        ['a', 'b', 'c'].map((idea) => ({ idea, signal: 'edited', args: [{ ceilings: { run: { dollars: 15 } } }] })),
      );
      say(pilot, 'a', 'parked', { reached: met(10) });
      expect(decided(pilot, false, NOW)).toEqual(['grant a @1']);
      expect(pilot.state.run).toBe('running');
    });

    it('a raise of the day is over with its day, and ideas are told', () => {
      const { pilot } = pilotWith({ day: { dollars: 10 }, during: true }, { spent: spent({}), endsAt: NOW + 5000 });
      decided(pilot, false, NOW);
      pilot.raiseBudget({ by: 5 });
      decided(pilot, false, NOW);
      const told = pilot.decide(false, NOW + 5000).filter((command) => command.do === 'tell');
      expect(told).toHaveLength(3);
      expect(told[0]).toMatchObject({ args: [{ ceilings: { day: { dollars: 10 } } }] });
    });

    it('a run of 0.1 tells nothing', () => {
      const { pilot } = pilotWith({ run: { dollars: 10 } });
      decided(pilot, false, NOW);
      pilot.raiseBudget({ by: 5 });
      expect([pilot.ceilings, decided(pilot, false, NOW)]).toEqual([undefined, []]);
    });
  });

  it('without a budget nothing is kept', () => {
    const { pilot } = pilotWith({ idea: { dollars: 1 } });
    expect(pilot.state.budget).toBeUndefined();
    expect(pilot.raiseBudget({ by: 1 })).toBe(false);
  });
});
