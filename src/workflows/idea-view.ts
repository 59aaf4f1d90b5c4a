/** What people see of an idea (G9): phase, current details, search attributes. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { ideaBudget } from '../decide/budget.js';
import { ideaDetails } from '../decide/details.js';
import { patchedLimits } from '../decide/limits-patch.js';
import { sizeOf } from '../decide/notes.js';
import { firstStep } from '../decide/steps.js';
import type { IdeaInput, IdeaPhase, IdeaRunState, PlanPlace } from '../protocol/idea-run.js';
import type { PlanShape } from '../protocol/plan.js';
import type { IdeaView } from '../protocol/views.js';
import { RALPH_ITERATION, RALPH_STATE } from './attributes.js';

export function ideaView(input: IdeaInput, state: IdeaRunState): IdeaView {
  const { phase, agentName, iteration, activeMs, question, lastSignal, lastGate, prepared, commits } = state;
  const limits = state.limits && patchedLimits(state.limits, state.patch);
  const budget = ideaBudget(input, state);
  return {
    idea: input.idea,
    title: input.title,
    phase,
    agentName,
    iteration: phase === 'agent' ? iteration + 1 : iteration,
    ...(state.notes.length > 0 ? { notes: state.notes.length, notesSize: sizeOf(state.notes).size } : {}),
    ...(limits ? { maxIterations: limits.loop ? limits.maxIterations : 1 } : {}),
    activeMs,
    ...(question ? { question } : {}),
    ...(lastSignal ? { signal: lastSignal } : {}),
    ...(prepared?.plan ? { step: stepView(prepared.plan, state.plan ?? firstStep()) } : {}),
    ...(lastGate ? { gate: { pass: lastGate.pass, command: lastGate.failure?.command } } : {}),
    ...(prepared ? { worktree: prepared.worktree } : {}),
    commits,
    iterations: state.stats,
    ...(state.choice ? { agent: state.choice.agent } : {}),
    ...(state.stronger ? { stronger: true as const } : {}),
    ...(state.watch && state.watch.open.length > 0 ? { warnings: state.watch.open } : {}),
    ...(budget.length > 0 ? { budget } : {}),
    ...(state.spent ? { spent: state.spent } : {}),
  };
}

function stepView({ steps, phases }: PlanShape, { step, skipped }: PlanPlace): IdeaView['step'] {
  const current = steps[Math.min(step, steps.length - 1)];
  const number = Math.min(step + 1, steps.length);
  const phase = phases[current?.phase ?? 0] ?? '';
  return { number, of: steps.length, id: current?.id ?? '', phase, skipped: skipped.length };
}

/** Enters phases and shows them. Attributes are written only when they change: each write is a history event. */
export class IdeaScreen {
  readonly #input: IdeaInput;
  readonly #state: IdeaRunState;
  #shownState = 'running';
  readonly #listed = listedAtStart();

  constructor(input: IdeaInput, state: IdeaRunState) {
    this.#input = input;
    this.#state = state;
  }

  /** `listed`: value of the RalphState attribute; by default an agent run counts as running and the rest keeps it. */
  show(phase: IdeaPhase, listed?: string, iteration?: number): void {
    this.#state.phase = phase;
    const state = listed ?? (phase === 'agent' ? 'running' : this.#shownState);
    const changed = [
      ...(state === this.#shownState ? [] : [{ key: RALPH_STATE, value: state }]),
      ...(iteration === undefined || iteration === this.#listed ? [] : [{ key: RALPH_ITERATION, value: iteration }]),
    ];
    this.#shownState = state;
    if (changed.length > 0) upsertSearchAttributes(changed);
    setCurrentDetails(ideaDetails(ideaView(this.#input, this.#state)));
  }
}

/** The iteration that the autopilot listed when it started the idea, which saves that write. */
function listedAtStart(): number | undefined {
  const { continuedFromExecutionRunId, typedSearchAttributes } = workflowInfo();
  return continuedFromExecutionRunId === undefined ? typedSearchAttributes.get(RALPH_ITERATION) : undefined;
}
