/**
 * One agent run of an iteration: what it is told, what it costs, and what it says about its account.
 * Invariant: `account` counts a run once, before its gate.
 */
import { agentTimes } from '../../decide/idea/activity-times.js';
import { costsIteration, type NextStep, runBudgetMs, shownLimit, troubleOf } from '../../decide/idea/completion.js';
import { givesSlotBack } from '../../decide/idea/slot-back.js';
import { NUDGE_AFTER } from '../../decide/idea/stall.js';
import { firstStep } from '../../decide/idea/steps.js';
import { mayHaveUsed } from '../../decide/idea/used.js';
import { withoutSignal } from '../../decide/text.js';
import { addIteration } from '../../decide/views/survey.js';
import type { IdeaLimits, PrepareResult } from '../../protocol/activities.js';
import type { RunAgentInput, RunAgentResult } from '../../protocol/agent-run.js';
import type { PlanShape } from '../../protocol/idea.js';
import type { PlanPlace } from '../../protocol/idea-run.js';
import { agentActivities, refOf, wasNotTaken } from '../proxies.js';
import { emit } from '../publish.js';
import type { IdeaSession } from './session.js';
import { allowance } from './warnings.js';

/** Of what an agent said last: the state of an idea stays small. */
const MOST_SAID = 600;

/** A try of a closed account uses the usual model: the stronger one's answer says little about it. */
export function usesStronger({ input, state }: IdeaSession): boolean {
  const agent = state.choice?.agent ?? state.lastRun?.agent ?? '';
  return state.stronger === true && !state.choice?.probe && input.settings.ladder?.stronger?.includes(agent) === true;
}

/** A try without a refusal opens the account for the others. */
export async function reportTry({ input, state, reporter }: IdeaSession, run: RunAgentResult): Promise<void> {
  const { agent, outcome } = run;
  state.lastRun = {
    agent,
    account: run.account,
    model: run.model,
    words: withoutSignal(run.tail).slice(-MOST_SAID) || undefined,
  };
  const works = input.settings.ownTrouble === true && agent !== undefined && costsIteration(outcome);
  if (works) state.worked = { agent, at: Date.now() };
  const { choice } = state;
  if (choice?.probe) state.choice = { agent: choice.agent };
  const tried = choice?.probe && troubleOf(outcome, input.settings) === undefined;
  // The account was closed during this run, but works all the same.
  const proof = works && choice !== undefined && (state.parked === true || choice.agent !== agent);
  const cleared = works && state.suspect === true;
  if (works) delete state.suspect;
  if (tried || proof || cleared) await reporter.report('recovered');
}

export async function runAgent(
  session: IdeaSession,
  prepared: PrepareResult,
  limits: IdeaLimits,
): Promise<{ run: RunAgentResult; delivered: number }> {
  const { input, state, screen, reporter } = session;
  const { minutes = Number.POSITIVE_INFINITY, ...most } = allowance(session);
  const unchanged = state.watch?.same ?? 0;
  const { idea, queues } = input;
  const iteration = state.iteration + 1;
  screen.show('agent', undefined, iteration);
  const sent = state.notes.length;
  const timeoutMs = Math.max(1000, Math.min(runBudgetMs(state, limits), minutes * 60_000));
  const maxIterations = shownLimit(limits, iteration);
  const { agentName, serial, choice, lastRun } = state;
  const agent = choice?.agent;
  if (agent && lastRun?.agent && lastRun.agent !== agent) {
    emit(input, { kind: 'agent', idea, agent, before: lastRun.agent, why: choice.why ?? `${agent} can work again` });
  }
  emit(input, {
    ...{ kind: 'iteration', idea, serial: serial + 1, iteration, max: maxIterations, agentName },
    limitMs: limits.timeoutMs,
    agent: agent || undefined,
    model: agent && agent === lastRun?.agent ? lastRun.model : undefined,
    base: prepared.base,
    step: prepared.plan ? placeIn(prepared.plan, state.plan ?? firstStep()) : undefined,
  });
  if (choice?.probe) await reporter.report('probing');
  session.ranSince = Date.now();
  // After a report that comes meanwhile, the message of the agent's end says nothing any more.
  const slot = givesSlotBack(input.settings, state) ? { life: input.life, after: state.seq } : undefined;
  const running = agentActivities(
    queues.agents,
    `${idea} #${iteration} by ${agentName}`,
    agentTimes(timeoutMs, input.settings, session.untaken),
  ).runAgent({
    ...refOf(input),
    idea,
    agentName,
    serial: serial + 1,
    iteration,
    maxIterations,
    timeoutMs,
    worktree: prepared.worktree,
    branch: prepared.branch,
    base: prepared.base,
    feedback: state.feedback,
    ...(prepared.plan ? stepOf(state.plan ?? firstStep()) : {}),
    notes: state.notes,
    revision: state.revision,
    agent: agent || undefined,
    stronger: usesStronger(session) || undefined,
    allowance: Object.keys(most).length > 0 ? most : undefined,
    ceilings: state.ceilings,
    // The escalation, where there is one, puts this into the prompt itself.
    unchanged: unchanged >= NUDGE_AFTER && !input.settings.ladder?.rungs.length ? unchanged : undefined,
    slot,
  });
  const run = await (slot ? withSlot(session, running) : running);
  session.ranSince = undefined;
  // A person may have written after an earlier attempt had got its prompt and before its result was read.
  return { run, delivered: Math.min(sent, run.notes ?? sent) };
}

/**
 * Its slot may go back before the result is there. Where the result says so, or there is none, the next iteration needs a
 * slot again: the run may have given it to another idea.
 */
async function withSlot({ state }: IdeaSession, running: Promise<RunAgentResult>): Promise<RunAgentResult> {
  try {
    const run = await running;
    if (run.slotBack) state.slotless = true;
    return run;
  } catch (error) {
    // Nothing had begun.
    if (!wasNotTaken(error)) state.slotless = true;
    throw error;
  }
}

const stepOf = ({ step, skipped }: PlanPlace): Pick<RunAgentInput, 'step' | 'skippedSteps'> => ({
  step,
  skippedSteps: skipped.length > 0 ? skipped : undefined,
});

/** Records the cost and the result of a run. */
export function account(
  { input, state }: IdeaSession,
  run: RunAgentResult,
  next: NextStep,
  delivered: number,
  turnedDown: string | undefined,
): void {
  state.serial += 1;
  const { outcome, signal, durationMs, commits } = run;
  emit(input, {
    kind: 'iteration-end',
    idea: input.idea,
    serial: state.serial,
    iteration: state.iteration + 1,
    signal,
    turnedDown,
    outcome: outcome.kind,
    message: outcome.kind === 'failed' ? outcome.message : undefined,
    durationMs,
    commits,
    uncharged: costsIteration(outcome) ? undefined : true,
    unused: mayHaveUsed(run) ? undefined : true,
    escaped: run.escaped,
    repaired: run.repaired,
    agent: run.agent,
    model: run.model,
    usage: run.usage,
    words: run.tail ? run.tail.slice(-MOST_WORDS) : undefined,
  });
  state.head = run.head;
  state.commits += run.commits;
  state.lastSignal = run.signal;
  if (next.do === 'rerun' && next.counts === 'cut-off') state.cutOff = (state.cutOff ?? 0) + 1;
  else delete state.cutOff;
  if (next.do === 'park' || next.do === 'hold') {
    // Neither a failure of the idea nor the end of its failures.
  } else if (next.do !== 'rerun') {
    state.failures = 0;
    state.limited = 0;
  } else if (next.counts === 'failure') state.failures += 1;
  else if (next.counts === 'limit') state.limited += 1;
  // An uncharged run needs no second approval.
  const again = next.do === 'rerun' || next.do === 'hold' || (next.do === 'park' && input.settings.stepLanding);
  if (!again) delete state.mayRun;
  if (!costsIteration(outcome)) return;
  state.activeMs += run.durationMs;
  state.iteration += 1;
  state.grace = false;
  state.stats = addIteration(state.stats, run.durationMs);
  // The agent has them now. A message that arrived during the run is for the next prompt.
  if (delivered > 0)
    emit(input, {
      ...{ kind: 'delivered', idea: input.idea, serial: state.serial, notes: delivered },
      fromProgram: state.ownNotes,
    });
  // ralphctl writes between two runs alone.
  delete state.ownNotes;
  state.notes = state.notes.slice(delivered);
  delete state.feedback;
  if (outcome.kind === 'failed') state.feedback = { kind: 'run-failed', message: outcome.message };
}

/** Of the agent's last words, in characters; the whole is in its output. */
const MOST_WORDS = 1500;

export const placeIn = ({ steps, phases }: PlanShape, { step }: PlanPlace) => {
  const { id = '', phase = 0 } = steps[step] ?? {};
  return { number: Math.min(step + 1, steps.length), of: steps.length, id, phase: phases[phase] ?? '' };
};
