/** An idea as its page and the views of its run show it (G9). Pure. */
import { ideaBudget } from '../../decide/budget/amounts.js';
import { patchedLimits, sizeOf } from '../../decide/idea/amendments.js';
import { shownLimit } from '../../decide/idea/completion.js';
import { firstStep } from '../../decide/idea/steps.js';
import { type GateResult, isNoGate } from '../../protocol/gate.js';
import type { PlanShape } from '../../protocol/idea.js';
import type { IdeaCourse, IdeaInput, IdeaRunState, PlanPlace } from '../../protocol/idea-run.js';
import type { IdeaView } from '../../protocol/views.js';

export function ideaView(input: IdeaInput, state: IdeaRunState): IdeaView {
  const { phase, agentName, iteration, activeMs, question, lastSignal, lastGate, prepared, commits } = state;
  const limits = state.limits && patchedLimits(state.limits, state.patch);
  const budget = ideaBudget(input, state);
  const shown = phase === 'agent' ? iteration + 1 : iteration;
  return {
    idea: input.idea,
    title: input.title,
    phase,
    agentName,
    iteration: shown,
    ...(state.notes.length > 0 ? { notes: state.notes.length, notesSize: sizeOf(state.notes).size } : {}),
    maxIterations: limits && shownLimit(limits, shown),
    ...(limits?.loop === false ? { single: true as const } : {}),
    activeMs,
    question: question || undefined,
    questionId: state.asked?.id,
    said: question ? state.lastRun?.words : undefined,
    signal: lastSignal,
    step: prepared?.plan ? stepView(prepared.plan, state.plan ?? firstStep()) : undefined,
    gate: lastGate && gateView(lastGate),
    worktree: prepared?.worktree,
    commits,
    iterations: state.stats,
    agent: state.choice?.agent,
    model: state.lastRun?.model,
    asking: question ? (state.asking ?? 'question') : undefined,
    stronger: state.stronger || undefined,
    warnings: state.watch && state.watch.open.length > 0 ? state.watch.open : undefined,
    budget: budget.length > 0 ? budget : undefined,
    spent: state.spent,
  };
}

const gateView = (gate: GateResult): IdeaView['gate'] => ({
  ...{ pass: gate.pass, command: gate.failure?.command },
  ...(isNoGate(gate) ? { none: true as const } : {}),
});

function stepView({ steps, phases }: PlanShape, { step, skipped }: PlanPlace): IdeaView['step'] {
  const current = steps[Math.min(step, steps.length - 1)];
  const number = Math.min(step + 1, steps.length);
  const phase = phases[current?.phase ?? 0] ?? '';
  return { number, of: steps.length, id: current?.id ?? '', phase, skipped: skipped.length };
}

/** For the views of the run. */
export function courseOf(state: IdeaRunState): IdeaCourse {
  const { lastRun, prepared, asking, asked, question, answer, spent } = state;
  const step = prepared?.plan && stepView(prepared.plan, state.plan ?? firstStep());
  return {
    percent: percentOf(state),
    agent: state.choice?.agent ?? lastRun?.agent,
    model: lastRun?.model,
    step: step && { number: step.number, of: step.of },
    asking: question ? (asking ?? 'question') : undefined,
    question: question ? asked?.id : undefined,
    answer,
    spent,
  };
}

/** A red gate refutes a COMPLETE. */
function percentOf({ lastSignal, lastGate }: IdeaRunState): number | undefined {
  if (lastSignal?.kind === 'progress') return lastSignal.percent;
  return lastSignal?.kind === 'complete' && lastGate?.pass !== false ? 100 : undefined;
}
