import { describe, expect, it } from 'vitest';
import type { NextStep } from '../../../src/decide/completion.js';
import type { RunAgentResult } from '../../../src/protocol/activities.js';
import type { Ladder } from '../../../src/protocol/escalation.js';
import { escalated } from '../../../src/workflows/idea-ladder.js';
import type { IdeaSession } from '../../../src/workflows/idea-session.js';

const LADDER: Ladder = { after: 2, every: 1, rungs: [{ do: 'nudge' }, { do: 'fresh' }, { do: 'ask' }] };
const NOTHING = { commits: 0 } as RunAgentResult;
const AGAIN: NextStep = { do: 'iterate', feedback: { kind: 'no-signal' } };

function idea(ladder?: Ladder) {
  const state: { notes: string[]; stall?: unknown } = { notes: [] };
  const session = { input: { settings: { ...(ladder ? { ladder } : {}) } }, state } as unknown as IdeaSession;
  return { state, step: (next = AGAIN, run = NOTHING) => escalated(session, next, run) };
}

describe('B4: an idea that gets nowhere', () => {
  it('is nudged, then told to begin afresh, then a person is asked, and then it begins from the ground', () => {
    const { state, step } = idea(LADDER);
    expect(step()).toBe(AGAIN);
    expect(state.notes).toEqual([]);
    expect(step()).toBe(AGAIN);
    expect(state.notes).toEqual([expect.stringContaining('try another way')]);
    expect(step()).toEqual({ do: 'iterate' });
    expect(state.notes.at(-1)).toContain('begin again');
    expect(step()).toEqual({ do: 'ask', question: expect.stringMatching(/^4 iterations/) });
    expect(step()).toBe(AGAIN);
  });

  it('counts from new whenever it got somewhere', () => {
    const { state, step } = idea(LADDER);
    for (let n = 0; n < 5; n++) {
      step();
      step(AGAIN, { commits: 1 } as RunAgentResult);
    }
    expect(state.notes).toEqual([]);
  });

  it('changes nothing else, and nothing in runs that began without a ladder', () => {
    const ends: NextStep[] = [{ do: 'ready' }, { do: 'gate' }, { do: 'ask', question: 'x' }];
    const { state, step } = idea({ ...LADDER, after: 1 });
    for (const end of ends) expect(step(end)).toBe(end);
    const old = idea();
    for (let n = 0; n < 10; n++) expect(old.step()).toBe(AGAIN);
    expect([state.notes, old.state.notes, old.state.stall]).toEqual([[], [], undefined]);
  });
});
