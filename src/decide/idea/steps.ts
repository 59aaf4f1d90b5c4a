import type { PlanShape } from '../../protocol/idea.js';
import type { PlanPlace, SkipStep } from '../../protocol/idea-run.js';
import type { NextStep } from './completion.js';

export const firstStep = (): PlanPlace => ({ step: 0, tries: 0, skipped: [] });

export interface StepEnd {
  id: string;
  phase: string;
  state: 'complete' | 'skipped';
  why?: string;
  /** 1-based. */
  number: number;
  of: number;
}
export interface PlanMove {
  next: NextStep;
  place: PlanPlace;
  ended?: StepEnd;
}

/** The effect on the plan of an iteration that led to `next`. */
export function afterStep(next: NextStep, plan: PlanShape, place: PlanPlace): PlanMove {
  const step = plan.steps[place.step];
  if (!step) return { next, place };
  const last = place.step === plan.steps.length - 1;
  // Tripwires look at the whole change, so they ask once, before the landing.
  const done = next.do === 'ready' || (next.do === 'ask' && next.approve !== undefined);
  if (done) return last ? { next, place, ended: ending(plan, place, 'complete') } : advance(plan, place, 'complete');
  if (next.do === 'close') {
    const { outcome, reason } = next;
    if (outcome === 'skipped') return skipStep(plan, place, reason, 'skipped');
    if (step.optional && (outcome === 'failed' || outcome === 'blocked')) return skipStep(plan, place, reason);
    return { next: { ...next, reason: `step ${step.id}: ${reason}` }, place };
  }
  if (next.do !== 'iterate' && next.do !== 'hand-over') return { next, place };
  const tries = place.tries + 1;
  if (step.maxIterations === undefined || tries < step.maxIterations) return { next, place: { ...place, tries } };
  const why = `${tries} of ${step.maxIterations} iterations used`;
  if (step.optional) return skipStep(plan, place, why);
  return { next: { do: 'close', outcome: 'timeout', reason: `step ${step.id}: ${why}` }, place: { ...place, tries } };
}

/** Whether the request is about the current step, which may have ended meanwhile. */
export const isWanted = ({ step }: SkipStep, place: PlanPlace): boolean => step === undefined || step === place.step;

/**
 * Skips the current step. No gate has checked its unfinished work, so one more iteration follows the last step to
 * finish the whole.
 */
export function skipStep(
  plan: PlanShape,
  place: PlanPlace,
  why: string,
  /** The end of the idea when no step is left. */
  outcome: 'failed' | 'skipped' = 'failed',
): PlanMove {
  if (place.step >= plan.steps.length) return { next: { do: 'iterate' }, place };
  const skipped = { ...place, skipped: [...place.skipped, place.step] };
  const move = advance(plan, skipped, 'skipped', why);
  if (skipped.skipped.length < plan.steps.length) return move;
  return { ...move, next: { do: 'close', outcome, reason: 'every step of the plan was skipped' } };
}

function advance(plan: PlanShape, place: PlanPlace, state: StepEnd['state'], why?: string): PlanMove {
  return {
    next: { do: 'iterate' },
    place: { ...place, step: place.step + 1, tries: 0 },
    ended: ending(plan, place, state, why),
  };
}

function ending(plan: PlanShape, { step }: PlanPlace, state: StepEnd['state'], why?: string): StepEnd {
  const { id = '', phase = 0 } = plan.steps[step] ?? {};
  const counted = { number: step + 1, of: plan.steps.length };
  return { id, phase: plan.phases[phase] ?? '', state, ...counted, why };
}
