/**
 * The plan in one iteration's prompt (B9): finished steps, the current step, and messages of earlier steps.
 * Invariant: bounded for any plan and any message. Sessions are new, so only this digest and the files carry over.
 * Pure.
 */
import type { PlanPhase } from '../../protocol/idea.js';
import { fenced } from './template.js';

/** The agent's message at the end of an earlier step. */
export interface StepNote {
  /** 0-based. */
  step: number;
  text: string;
}

export interface PlanSection {
  plan: readonly PlanPhase[];
  /** Current step, 0-based; past the last one when only the final check is left. */
  step: number;
  skipped: readonly number[];
  notes: readonly StepNote[];
}

const SHOWN_STEPS = 60;
const MAX_TITLE = 120;
const SAME_PHASE = 600;
const EARLIER_PHASE = 160;
const MAX_NOTES = 4000;

export function planSection({ plan, step: current, skipped, notes }: PlanSection): string {
  const steps = plan.flatMap((phase, p) => phase.steps.map((step) => ({ ...step, phase: p })));
  const now = steps[current];
  const mark = (at: number): string =>
    skipped.includes(at) ? '[-]' : at < current ? '[x]' : at === current ? '[>]' : '[ ]';
  const from = Math.max(0, Math.min(current - SHOWN_STEPS / 2, steps.length - SHOWN_STEPS));
  const lines: string[] = [];
  for (let at = from; at < Math.min(steps.length, from + SHOWN_STEPS); at++) {
    const step = steps[at];
    if (!step) continue;
    if (at === from || steps[at - 1]?.phase !== step.phase) lines.push(`${plan[step.phase]?.name ?? ''}:`);
    lines.push(`  ${mark(at)} ${step.id} ${firstLine(step.text)}`);
  }
  const overview = `The plan ([x] done, [-] left out, [>] now, [ ] later):\n\n${fenced(lines.join('\n'))}`;
  const task = now
    ? `Now do step ${now.id}, and only this one:\n\n${now.text.trim()}\n\nCOMPLETE means that this step is done. The next step gets its own iteration.`
    : 'All steps are done. Review the whole task, finish incomplete work, make the checks pass, and end with COMPLETE.';
  return [overview, digest(notes, steps, current), task].filter(Boolean).join('\n\n');
}

function digest(
  notes: readonly StepNote[],
  steps: ReadonlyArray<{ id: string; phase: number }>,
  current: number,
): string {
  const phase = steps[current]?.phase;
  let left = MAX_NOTES;
  const kept: string[] = [];
  // The newest are the most useful.
  for (const note of [...notes].sort((a, b) => b.step - a.step)) {
    const step = steps[note.step];
    if (!step || note.step >= current) continue;
    const most = step.phase === phase ? SAME_PHASE : EARLIER_PHASE;
    const text = `${step.id}: ${clip(
      note.text
        .replace(/<[^>]*>[^<]*<\/[^>]*>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
      most,
    )}`;
    left -= text.length;
    if (left < 0) break;
    kept.unshift(text);
  }
  return kept.length === 0 ? '' : `Last messages of earlier steps:\n\n${fenced(kept.join('\n'))}`;
}

const firstLine = (text: string): string => clip(text.trim().split('\n')[0] ?? '', MAX_TITLE);
const clip = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
