/**
 * One iteration: prepare the worktree, run the agent, record its cost, run the gate.
 * Invariant: each agent run is recorded exactly once, before its gate. After a gate that did not end, only the gate
 * runs again, not the agent.
 */
import { agentTimes, gitTimes } from '../decide/idea/activity-times.js';
import {
  afterGate,
  afterRun,
  claimsDone,
  costsIteration,
  type NextStep,
  runBudgetMs,
  troubleOf,
  whyTurnedDown,
} from '../decide/idea/completion.js';
import { NUDGE_AFTER } from '../decide/idea/stall.js';
import { afterStep, firstStep, isWanted, type PlanMove, skipStep } from '../decide/idea/steps.js';
import { describeTripwire } from '../decide/idea/tripwires.js';
import { addIteration } from '../decide/views/survey.js';
import type { IdeaLimits, PrepareResult, RunAgentInput, RunAgentResult } from '../protocol/activities.js';
import type { GateFailure, GateResult } from '../protocol/gate.js';
import type { PlanPlace } from '../protocol/idea-run.js';
import type { PlanPosition, PlanShape } from '../protocol/plan.js';
import type { IdeaSession } from './idea-session.js';
import { allowance, book, escalated, notice, watch, workerIsBack } from './idea-warnings.js';
import { agentActivities, gitActivities, refOf } from './proxies.js';
import { emit } from './publish.js';

/** One iteration, and its effect on the idea's plan. */
export async function iterate(session: IdeaSession): Promise<NextStep> {
  const prepared = await prepare(session);
  const { plan } = prepared;
  if (!plan) return attempt(session, prepared);
  const left = leftOut(session, plan);
  if (left) return alongPlan(session, left);
  const next = await attempt(session, prepared);
  return alongPlan(session, afterStep(next, plan, session.state.plan ?? firstStep()));
}

/** A step that a person skips is over, whatever its last run left for the gate. */
function leftOut({ state }: IdeaSession, plan: PlanShape): PlanMove | undefined {
  const { skipStep: said, plan: place = firstStep() } = state;
  delete state.skipStep;
  if (!said || !isWanted(said, place)) return undefined;
  delete state.ungated;
  delete state.feedback;
  return skipStep(plan, place, said.why ?? 'a person said so', said.failed ? 'skipped' : 'failed');
}

function alongPlan({ input, state }: IdeaSession, { next, place, ended }: PlanMove): NextStep {
  state.plan = place;
  if (ended) {
    const { id, ...more } = ended;
    emit(input, { kind: 'step', idea: input.idea, step: id, ...more });
  }
  return next;
}

async function attempt(session: IdeaSession, prepared: PrepareResult): Promise<NextStep> {
  const { state, input } = session;
  const limits = session.limits ?? prepared.limits;
  if (!state.ungated) {
    const { run, delivered } = await runAgent(session, prepared, limits);
    const { settings } = input;
    const { failures, limited, cutOff } = state;
    // Only a parent with account breakers names an agent. Under an older parent the idea waits by itself.
    const gated = state.choice !== undefined;
    const next =
      backToUsual(session, run) ??
      afterRun(run, { limits, settings, failures, limited, cutOff: cutOff ?? 0, now: Date.now(), gated });
    account(session, run, next, delivered, whyTurnedDown(run, limits));
    // Set before any wait: an interruption must not lose the gate of a recorded run.
    if (next.do === 'gate') state.ungated = run;
    await reportTry(session, run);
    await book(session, run);
    await notice(session, run);
    if (next.do !== 'gate') {
      await watch(session, run, undefined, limits);
      return escalated(session, next);
    }
  }
  const run = state.ungated;
  if (!run) throw new Error('there is no run to gate');
  const claims = claimsDone(run, limits);
  const gate = await runGate(session, prepared, claims);
  await watch(session, run, gate, limits);
  return escalated(session, afterGate(run, gate, limits, state.approved));
}

/** A usage limit of the stronger model closes no account: the idea continues with the usual model. */
function backToUsual(session: IdeaSession, { outcome }: RunAgentResult): NextStep | undefined {
  if (!usesStronger(session) || outcome.kind !== 'failed' || outcome.failure !== 'limited') return undefined;
  session.state.stronger = false;
  return { do: 'rerun', waitMs: 0, why: outcome.message, counts: 'limit' };
}

/** A try of a closed account uses the usual model: the stronger one's answer says little about it. */
function usesStronger({ input, state }: IdeaSession): boolean {
  const agent = state.choice?.agent ?? state.lastRun?.agent ?? '';
  return state.stronger === true && !state.choice?.probe && input.settings.ladder?.stronger?.includes(agent) === true;
}

async function prepare(session: IdeaSession): Promise<PrepareResult> {
  const { input, state, screen, untaken } = session;
  if (state.prepared) return state.prepared;
  screen.show('preparing');
  const { idea, queues } = input;
  const prepared = await gitActivities(
    queues.git,
    `prepare ${idea}`,
    gitTimes('prepare', input.settings, untaken),
  ).prepareIdea({
    ...refOf(input),
    idea,
    agentName: state.agentName,
    ...(state.reopen ? { reopen: state.reopen } : {}),
  });
  await workerIsBack(session);
  delete state.reopen;
  state.prepared = prepared;
  state.limits ??= prepared.limits;
  if (prepared.plan && prepared.place) state.plan ??= { ...prepared.place, tries: 0 };
  // A restarted workflow must not mistake the run files of an earlier one for its own.
  if (state.serial === 0) state.serial = prepared.lastSerial ?? 0;
  return prepared;
}

/** A try without a refusal opens the account for the others. */
async function reportTry({ input, state, reporter }: IdeaSession, run: RunAgentResult): Promise<void> {
  const { agent, outcome } = run;
  state.lastRun = {
    ...(agent === undefined ? {} : { agent }),
    ...(run.account === undefined ? {} : { account: run.account }),
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

async function runAgent(
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
  const delivered = state.notes.length;
  const timeoutMs = Math.max(1000, Math.min(runBudgetMs(state, limits), minutes * 60_000));
  const maxIterations = limits.loop ? limits.maxIterations : 1;
  const { agentName, serial, choice, lastRun } = state;
  const agent = choice?.agent;
  if (agent && lastRun?.agent && lastRun.agent !== agent) {
    emit(input, { kind: 'agent', idea, agent, before: lastRun.agent });
  }
  emit(input, {
    ...{ kind: 'iteration', idea, serial: serial + 1, iteration, max: maxIterations, agentName },
    ...(agent ? { agent } : {}),
    base: prepared.base,
    ...(prepared.plan ? { step: placeIn(prepared.plan, state.plan ?? firstStep()) } : {}),
  });
  if (choice?.probe) await reporter.report('probing');
  session.ranSince = Date.now();
  const run = await agentActivities(
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
    ...(state.feedback ? { feedback: state.feedback } : {}),
    ...(prepared.plan ? stepOf(state.plan ?? firstStep()) : {}),
    notes: state.notes,
    ...(state.revision === undefined ? {} : { revision: state.revision }),
    ...(agent ? { agent } : {}),
    ...(usesStronger(session) ? { stronger: true as const } : {}),
    ...(Object.keys(most).length > 0 ? { allowance: most } : {}),
    ...(state.ceilings ? { ceilings: state.ceilings } : {}),
    // The escalation, where there is one, puts this into the prompt itself.
    ...(unchanged >= NUDGE_AFTER && !input.settings.ladder?.rungs.length ? { unchanged } : {}),
  });
  session.ranSince = undefined;
  return { run, delivered };
}

const positionOf = ({ step, skipped }: PlanPlace): PlanPosition => ({ step, skipped });

const stepOf = ({ step, skipped }: PlanPlace): Pick<RunAgentInput, 'step' | 'skippedSteps'> => ({
  step,
  ...(skipped.length > 0 ? { skippedSteps: skipped } : {}),
});

/** Records the cost and the result of a run. */
function account(
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
    ...(turnedDown === undefined ? {} : { turnedDown }),
    outcome: outcome.kind,
    ...(outcome.kind === 'failed' ? { message: outcome.message } : {}),
    durationMs,
    commits,
    ...(run.escaped ? { escaped: run.escaped } : {}),
    ...(run.usage ? { usage: run.usage } : {}),
    ...(run.tail ? { words: run.tail.slice(-MOST_WORDS) } : {}),
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
  if (delivered > 0) emit(input, { kind: 'delivered', idea: input.idea, serial: state.serial, notes: delivered });
  state.notes = state.notes.slice(delivered);
  delete state.feedback;
  if (outcome.kind === 'failed') state.feedback = { kind: 'run-failed', message: outcome.message };
}

/** Of the agent's last words, in characters; the whole is in its output. */
const MOST_WORDS = 1500;

const placeIn = ({ steps, phases }: PlanShape, { step }: PlanPlace) => {
  const { id = '', phase = 0 } = steps[step] ?? {};
  return { number: Math.min(step + 1, steps.length), of: steps.length, id, phase: phases[phase] ?? '' };
};

const gateEvent = ({ commands, failure }: GateResult) => ({
  commands,
  ...(failure?.newTests ? { newTests: failure.newTests } : {}),
  ...(failure?.knownTests ? { knownTests: failure.knownTests } : {}),
});

const redAt = ({ command, exitCode, log }: GateFailure) => ({ command, exitCode, log });

async function runGate(
  { input, state, screen, untaken }: IdeaSession,
  prepared: PrepareResult,
  claims: boolean,
): Promise<GateResult> {
  screen.show('gate');
  const { idea, queues } = input;
  const gate = await gitActivities(
    queues.git,
    `gate ${idea} #${state.iteration}`,
    gitTimes('gate', input.settings, untaken),
  ).runGate({
    ...refOf(input),
    idea,
    serial: state.serial,
    agentName: state.agentName,
    worktree: prepared.worktree,
    base: prepared.base,
    ...(claims ? {} : { unclaimed: true as const }),
    ...(claims && prepared.plan ? { claimed: positionOf(state.plan ?? firstStep()) } : {}),
  });
  delete state.ungated;
  state.lastGate = gate;
  emit(input, {
    kind: 'gate',
    idea,
    pass: gate.pass,
    ...gateEvent(gate),
    ...(gate.failure ? redAt(gate.failure) : {}),
    ...(gate.tests ? { tests: gate.tests } : {}),
    ...(gate.flaky ? { flaky: gate.flaky } : {}),
    ...(gate.tolerated ? { tolerated: gate.tolerated } : {}),
    ...(gate.tripwires ? { tripwires: gate.tripwires.map(describeTripwire) } : {}),
    ...(gate.escaped ? { escaped: gate.escaped } : {}),
    ...(gate.late ? { late: gate.late } : {}),
    durationMs: gate.durationMs,
  });
  state.activeMs += gate.durationMs;
  return gate;
}
