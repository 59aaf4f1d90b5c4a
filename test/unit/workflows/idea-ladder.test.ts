import { describe, expect, it, vi } from 'vitest';
import type { NextStep } from '../../../src/decide/idea/completion.js';
import type { IdeaRunState } from '../../../src/protocol/idea-run.js';
import type { Ladder } from '../../../src/protocol/warnings.js';
import type { IdeaSession } from '../../../src/workflows/idea/session.js';
import { escalated } from '../../../src/workflows/idea/warnings.js';

// A sink exists inside a workflow only.
vi.mock('../../../src/workflows/publish.js', () => ({ emit: () => {} }));

const LADDER: Ladder = { after: 2, every: 1, rungs: [{ do: 'nudge' }, { do: 'fresh' }, { do: 'ask' }] };
const AGAIN: NextStep = { do: 'iterate', feedback: { kind: 'no-signal' } };

function idea(ladder?: Ladder, agent = 'claude') {
  const state = { notes: [], watch: { same: 0, told: [], open: [] }, choice: { agent } } as unknown as IdeaRunState;
  const session = {
    input: { idea: 'i', settings: { ...(ladder ? { ladder } : {}) } },
    state,
  } as unknown as IdeaSession;
  const step = (next = AGAIN, somewhere = false) => {
    if (state.watch) state.watch.same = somewhere ? 0 : state.watch.same + 1;
    return escalated(session, next);
  };
  return { state, step };
}

describe('B4: an idea that gets nowhere', () => {
  it('is nudged, then told to begin afresh, then a person is asked, and then it begins from the ground', () => {
    const { state, step } = idea(LADDER);
    expect(step()).toBe(AGAIN);
    expect(state.notes).toEqual([]);
    expect(step()).toBe(AGAIN);
    expect(state.notes).toEqual([expect.stringContaining('try another approach')]);
    expect(step()).toEqual({ do: 'iterate' });
    expect(state.notes.at(-1)).toContain('start again');
    expect(step()).toEqual({ do: 'ask', question: expect.stringMatching(/^4 iterations/), asking: 'escalation' });
    expect(step()).toBe(AGAIN);
  });

  it('is made stronger once, keeps that over progress, and goes to another agent with what the gate said', () => {
    const rungs = [{ do: 'stronger' }, { do: 'other' }] as const;
    const { state, step } = idea({ after: 1, every: 1, rungs, stronger: ['claude'] });
    expect(step()).toBe(AGAIN);
    expect(state.stronger).toBe(true);
    expect(step(AGAIN, true)).toBe(AGAIN);
    expect([state.stronger, state.stall]).toEqual([true, { taken: 0 }]);
    // It is as strong as can be already.
    expect(step()).toEqual({ ...AGAIN, do: 'hand-over' });
    expect(state.notes.at(-1)).toContain('Another agent worked on it');
    const other = idea({ after: 1, every: 1, rungs, stronger: ['claude'] }, 'codex');
    expect(other.step()).toMatchObject({ do: 'hand-over' });
    expect(other.state.stronger).toBeUndefined();
  });

  it('counts from new whenever it got somewhere', () => {
    const { state, step } = idea(LADDER);
    for (let n = 0; n < 5; n++) {
      step();
      step(AGAIN, true);
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
