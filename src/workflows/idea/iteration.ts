/**
 * One iteration: prepare the worktree, run the agent (idea-agent-run.ts), record its cost, run the gate.
 * Invariant: each agent run is recorded exactly once, before its gate. After a gate that did not end, only the gate
 * runs again, not the agent.
 */
import { CancellationScope } from '@temporalio/workflow';
import { gitTimes } from '../../decide/idea/activity-times.js';
import { afterGate, afterRun, claimsDone, type NextStep, whyTurnedDown } from '../../decide/idea/completion.js';
import { afterStep, firstStep, isWanted, type PlanMove, skipStep } from '../../decide/idea/steps.js';
import { describeTripwire } from '../../decide/idea/tripwires.js';
import type { PrepareResult } from '../../protocol/activities.js';
import type { RunAgentResult } from '../../protocol/agent-run.js';
import type { GateFailure, GateResult } from '../../protocol/gate.js';
import type { PlanPosition, PlanShape } from '../../protocol/idea.js';
import type { PlanPlace } from '../../protocol/idea-run.js';
import { gitActivities, refOf } from '../proxies.js';
import { emit } from '../publish.js';
import { account, placeIn, reportTry, runAgent, usesStronger } from './agent-run.js';
import { claim } from './claim.js';
import type { IdeaSession } from './session.js';
import { book, escalated, notice, watch, workerIsBack } from './warnings.js';

/** One iteration, and its effect on the idea's plan. */
export async function iterate(session: IdeaSession): Promise<NextStep> {
  const unclaimed = await claim(session);
  if (unclaimed) return unclaimed;
  const prepared = await prepare(session);
  const { plan } = prepared;
  if (!plan) return attempt(session, prepared);
  const left = leftOut(session, plan);
  if (left) return alongPlan(session, left);
  tellStep(session, plan);
  const next = await attempt(session, prepared);
  return alongPlan(session, afterStep(next, plan, session.state.plan ?? firstStep()));
}

/** Once for each step, not for each of its iterations. */
function tellStep({ input, state }: IdeaSession, plan: PlanShape): void {
  const place = state.plan ?? firstStep();
  if (state.stepBegun === place.step || place.step >= plan.steps.length) return;
  state.stepBegun = place.step;
  const { id, ...more } = placeIn(plan, place);
  emit(input, { kind: 'step-start', idea: input.idea, step: id, ...more });
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
  return escalated(session, afterGate(run, gate, limits, { idea: input.idea, approved: state.approved }));
}

/** A usage limit of the stronger model closes no account: the idea continues with the usual model. */
function backToUsual(session: IdeaSession, { outcome }: RunAgentResult): NextStep | undefined {
  if (!usesStronger(session) || outcome.kind !== 'failed' || outcome.failure !== 'limited') return undefined;
  session.state.stronger = false;
  return { do: 'rerun', waitMs: 0, why: outcome.message, counts: 'limit' };
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
    reopen: state.reopen,
    ...(input.carry?.on === undefined ? {} : { on: input.carry.on }),
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

const gateEvent = ({ commands, failure }: GateResult) => ({
  commands,
  newTests: failure?.newTests,
  knownTests: failure?.knownTests,
});

const redAt = ({ command, exitCode, why, log }: GateFailure) => ({ command, exitCode, why, log });

const positionOf = ({ step, skipped }: PlanPlace): PlanPosition => ({ step, skipped });

/** Slots hold agents: another one may start while the gate runs. An interruption must not take the report back. */
function giveSlotBack({ input, state, reporter }: IdeaSession): Promise<void> {
  if (input.settings.gatesBeside === undefined) return Promise.resolve();
  state.slotless = true;
  return CancellationScope.nonCancellable(() => reporter.report('gating'));
}

async function runGate(session: IdeaSession, prepared: PrepareResult, claims: boolean): Promise<GateResult> {
  const { screen } = session;
  screen.show('gate');
  const told = giveSlotBack(session);
  // Reports go out one after another.
  return gateOf(session, prepared, claims).finally(() => told);
}

async function gateOf(
  { input, state, untaken }: IdeaSession,
  prepared: PrepareResult,
  claims: boolean,
): Promise<GateResult> {
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
    unclaimed: claims ? undefined : true,
    claimed: claims && prepared.plan ? positionOf(state.plan ?? firstStep()) : undefined,
  });
  delete state.ungated;
  state.lastGate = gate;
  emit(input, {
    kind: 'gate',
    idea,
    pass: gate.pass,
    ...gateEvent(gate),
    log: gate.log,
    ...(gate.failure ? redAt(gate.failure) : {}),
    tests: gate.tests,
    flaky: gate.flaky,
    tolerated: gate.tolerated,
    tripwires: gate.tripwires?.map(describeTripwire),
    escaped: gate.escaped,
    late: gate.late,
    durationMs: gate.durationMs,
  });
  state.activeMs += gate.durationMs;
  return gate;
}
