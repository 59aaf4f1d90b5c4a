/**
 * What is done when iterations get an idea nowhere. Runs that began without a ladder have none.
 * Invariant: decided in `src/decide/escalation.ts`; here it only finds its way into the next prompt or to a person.
 */
import type { NextStep } from '../decide/completion.js';
import { climb, madeProgress, noStall, wordsOf } from '../decide/escalation.js';
import type { GateResult, RunAgentResult } from '../protocol/activities.js';
import type { IdeaSession } from './idea-session.js';

export function escalated(
  { input, state }: IdeaSession,
  next: NextStep,
  run: RunAgentResult,
  gate?: { now: GateResult; before: GateResult | undefined },
): NextStep {
  const { ladder } = input.settings;
  if (!ladder || next.do !== 'iterate') return next;
  const before = state.stall ?? noStall();
  const { stall, rung } = climb(before, madeProgress(run, gate?.now, gate?.before), ladder);
  state.stall = stall;
  if (!rung) return next;
  const words = wordsOf(rung, before.idle + 1);
  if (rung.do === 'ask') return { do: 'ask', question: words };
  state.notes.push(words);
  // What happened last time is part of the approach that is to be forgotten.
  return rung.do === 'fresh' ? { do: 'iterate' } : next;
}
