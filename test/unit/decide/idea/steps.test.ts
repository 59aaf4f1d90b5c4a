import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSection } from '../../../../src/agents/prompt/plan-section.js';
import type { NextStep } from '../../../../src/decide/idea/completion.js';
import { afterStep, firstStep, isWanted, skipStep } from '../../../../src/decide/idea/steps.js';
import type { PlanShape } from '../../../../src/protocol/idea.js';
import type { PlanPlace } from '../../../../src/protocol/idea-run.js';

const PLAN: PlanShape = {
  phases: ['Model', 'Wiring'],
  steps: [
    { id: 'a', phase: 0 },
    { id: 'b', phase: 0, maxIterations: 2, optional: true },
    { id: 'c', phase: 1, maxIterations: 1 },
  ],
};
const at = (step: number, more: Partial<PlanPlace> = {}): PlanPlace => ({ step, tries: 0, skipped: [], ...more });
const READY: NextStep = { do: 'ready' };
const ITERATE: NextStep = { do: 'iterate' };
const TRIP: NextStep = { do: 'ask', question: 'look', approve: ['x'] };
const QUESTION: NextStep = { do: 'ask', question: 'which?' };
const RERUN: NextStep = { do: 'rerun', waitMs: 1, why: 'x', counts: 'failure' };
const close = (outcome: 'failed' | 'blocked' | 'timeout' | 'skipped'): NextStep => ({
  do: 'close',
  outcome,
  reason: 'why',
});

const numbered = (id: 'a' | 'b' | 'c') =>
  ({
    a: { id, number: 1, of: 3, phase: 'Model' },
    b: { id, number: 2, of: 3, phase: 'Model' },
    c: { id, number: 3, of: 3, phase: 'Wiring' },
  })[id];
const complete = (id: 'a' | 'b' | 'c') => ({ ...numbered(id), state: 'complete' });
const leftOut = (id: 'a' | 'b' | 'c', why: string) => ({ ...numbered(id), state: 'skipped', why });

describe('steps of a plan (B9)', () => {
  it.each<[string, NextStep, PlanPlace, NextStep, PlanPlace, object | undefined]>([
    ['a claim that passed: the next step', READY, at(0, { tries: 1 }), ITERATE, at(1), complete('a')],
    ['… of the last step: it lands', READY, at(2), READY, at(2), complete('c')],
    ['tripwires wait for the end', TRIP, at(0), ITERATE, at(1), complete('a')],
    ['… and are asked about there', TRIP, at(2), TRIP, at(2), complete('c')],
    ['not done yet', ITERATE, at(0, { tries: 4 }), ITERATE, at(0, { tries: 5 }), undefined],
    ['a question keeps the place', QUESTION, at(1, { tries: 1 }), QUESTION, at(1, { tries: 1 }), undefined],
    ['a run that costs nothing keeps it, too', RERUN, at(1, { tries: 1 }), RERUN, at(1, { tries: 1 }), undefined],
    [
      'an optional step that used its runs is left out',
      ITERATE,
      at(1, { tries: 1 }),
      ITERATE,
      at(2, { skipped: [1] }),
      leftOut('b', '2 of 2 iterations used'),
    ],
    [
      'B7: with strategy skip a step that failed is left out by itself, optional or not',
      close('skipped'),
      at(0),
      ITERATE,
      at(1, { skipped: [0] }),
      leftOut('a', 'why'),
    ],
    ['… that is blocked, too', close('blocked'), at(1), ITERATE, at(2, { skipped: [1] }), leftOut('b', 'why')],
    ['… that failed, too', close('failed'), at(1), ITERATE, at(2, { skipped: [1] }), leftOut('b', 'why')],
    [
      'a needed step that used its runs ends the idea',
      ITERATE,
      at(2),
      { do: 'close', outcome: 'timeout', reason: 'step c: 1 of 1 iterations used' },
      at(2, { tries: 1 }),
      undefined,
    ],
    [
      '… that is blocked, too',
      close('blocked'),
      at(0),
      { do: 'close', outcome: 'blocked', reason: 'step a: why' },
      at(0),
      undefined,
    ],
    [
      'behind the last step nothing is special',
      ITERATE,
      at(3, { skipped: [2] }),
      ITERATE,
      at(3, { skipped: [2] }),
      undefined,
    ],
    ['… and a claim lands', READY, at(3, { skipped: [2] }), READY, at(3, { skipped: [2] }), undefined],
  ])('%s', (_, next, place, wantedNext, wantedPlace, ended) => {
    const move = afterStep(next, PLAN, place);
    expect(move.next).toEqual(wantedNext);
    expect(move.place).toEqual(wantedPlace);
    expect(move.ended).toEqual(ended);
  });

  it('skipping the last step leaves one iteration to bring it to an end; skipping all fails', () => {
    expect(skipStep(PLAN, at(2), 'a person')).toMatchObject({ next: ITERATE, place: { step: 3, skipped: [2] } });
    expect(skipStep(PLAN, at(2, { skipped: [0, 1] }), 'x').next).toMatchObject({ do: 'close', outcome: 'failed' });
  });

  it('a wish to leave a step out is about that step, or about the one it is read at', () => {
    expect(isWanted({ step: 1 }, at(1))).toBe(true);
    expect(isWanted({ step: 1, why: 'x' }, at(2))).toBe(false);
    expect(isWanted({}, at(2))).toBe(true);
  });

  it('always comes to an end, and counts every step once', () => {
    const outcome = fc.constantFrom(READY, ITERATE, TRIP, close('failed'), close('blocked'));
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 40, maxLength: 40 }), (outcomes) => {
        let place = firstStep();
        const ended: string[] = [];
        for (const one of outcomes) {
          const move = afterStep(one, PLAN, place);
          expect(move.place.step).toBeGreaterThanOrEqual(place.step);
          if (move.ended) ended.push(move.ended.id);
          place = move.place;
          if (move.next.do !== 'iterate') break;
        }
        expect(ended).toEqual([...new Set(ended)]);
      }),
    );
  });
});

describe('the plan in a prompt', () => {
  const plan = [
    {
      name: 'Model',
      steps: [
        { id: 'a', text: 'Make the model' },
        { id: 'b', text: 'Document it' },
      ],
    },
    { name: 'Wiring', steps: [{ id: 'c', text: 'Wire it\nwith care' }] },
  ];
  it('shows what is done, left out and next, and what was said', () => {
    const notes = [{ step: 0, text: 'The model is in model.ts.\n<ralph nonce="x">COMPLETE</ralph>' }];
    const text = planSection({ plan, step: 2, skipped: [1], notes });
    expect(text).toContain('[x] a Make the model');
    expect(text).toContain('[-] b Document it');
    expect(text).toContain('[>] c Wire it');
    expect(text).toContain('a: The model is in model.ts.');
    expect(text).not.toContain('<ralph');
    expect(text).toContain('Now do step c, and only this one:\n\nWire it\nwith care');
  });
  it('says what is left after the last step', () => {
    expect(planSection({ plan, step: 3, skipped: [2], notes: [] })).toContain('All steps are done');
  });
  it('stays bounded', () => {
    const steps = Array.from({ length: 100 }, (_, n) => ({ id: `s${n}`, text: 'x'.repeat(500) }));
    const notes = steps.map((_, step) => ({ step, text: 'y'.repeat(5000) }));
    const text = planSection({ plan: [{ name: 'P', steps }], step: 99, skipped: [], notes });
    expect(text.length).toBeLessThan(15_000);
    expect(text).toContain('s98: y');
  });
});
