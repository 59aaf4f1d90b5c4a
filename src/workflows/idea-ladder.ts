/**
 * What is done when iterations get an idea nowhere. Runs that began without a ladder have none.
 * Invariant: decided in `src/decide/escalation.ts`; here it only finds its way into the next prompt, the next run, to the
 * autopilot (which alone chooses agents) or to a person.
 */
import type { NextStep } from '../decide/completion.js';
import { climb, couldBeStronger, noStall, wordsOf } from '../decide/escalation.js';
import type { Rung } from '../protocol/escalation.js';
import { emit } from './events.js';
import type { IdeaSession } from './idea-session.js';

/** Call after the iteration was counted (`watch`). */
export function escalated({ input, state }: IdeaSession, next: NextStep): NextStep {
  const { ladder } = input.settings;
  if (!ladder || next.do !== 'iterate' || !state.watch) return next;
  const idle = state.watch.same;
  const agent = state.choice?.agent ?? state.lastRun?.agent;
  const able = (rung: Rung) => rung.do !== 'stronger' || couldBeStronger(ladder, agent, state.stronger);
  const { stall, rung } = climb(state.stall ?? noStall(), idle, ladder, able);
  state.stall = stall;
  if (!rung) return next;
  const words = wordsOf(rung, idle);
  emit(input, { kind: 'escalated', idea: input.idea, rung: rung.do, iterations: idle });
  if (rung.do === 'ask') {
    state.watch = { ...state.watch, same: 0 };
    return { do: 'ask', question: words };
  }
  state.notes.push(words);
  switch (rung.do) {
    case 'nudge':
      return next;
    case 'fresh':
      // What happened last time is part of the approach that is to be forgotten.
      return { do: 'iterate' };
    case 'stronger':
      state.stronger = true;
      return next;
    case 'other':
      return { ...next, do: 'hand-over' };
  }
}
