/**
 * The idea workflow: one per idea. It prepares a worktree and then iterates: agent run, signal, gate, decision. It
 * waits for a person or for its landing without a slot.
 * Invariant: all decisions are in `src/decide/`. Pause, stop and continue-as-new act only between iterations. A lost
 * worker costs no iteration.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  sleep,
} from '@temporalio/workflow';
import { limitReached, type NextStep } from '../../decide/idea/completion.js';
import { causeOf, exhaustedText, nextCause } from '../../decide/idea/stall.js';
import type { Feedback } from '../../protocol/agent-run.js';
import { FAILURE } from '../../protocol/failures.js';
import type { IdeaInput, IdeaResult } from '../../protocol/idea-run.js';
import { activityProblem, diskIsFull, notTheWorksFault, noWorkerOn, tookWorkerDown, wasNotTaken } from '../proxies.js';
import { emit } from '../publish.js';
import { wantsRollover } from '../rollover.js';
import { handleIdeaMessages } from './handlers.js';
import { iterate } from './iteration.js';
import { IdeaSession } from './session.js';
import { afterLoss, ask, askBudget, backOff, boundary, land, park, waitForTurn } from './waiting.js';
import { spentAll, warnOfNoWorker, workerIsBack } from './warnings.js';

/** How long an idea waits before it checks the disk space again. */
const DISK_WAIT_MS = 60_000;

/** The longest back-off after a lost worker, so that work that kills its worker does not loop fast. */
const LONGEST_LOST_WAIT_MS = 60_000;

export async function idea(input: IdeaInput): Promise<IdeaResult> {
  if (!input?.project || !input.idea || !input.queues) {
    throw ApplicationFailure.nonRetryable('an idea workflow is started by its autopilot', FAILURE.badInput);
  }
  const session = new IdeaSession(input);
  handleIdeaMessages(session);
  try {
    return await main(session);
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => session.close('failed', 'cancelled by a person'));
    }
    throw error;
  } finally {
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

async function main(session: IdeaSession): Promise<IdeaResult> {
  const { input, state, reporter } = session;
  for (;;) {
    await boundary(session);
    if (state.stopping) return session.close('stopped', state.stopReason ?? 'stopped by a person');
    if (state.parked && !state.ungated) {
      const ended = await park(session);
      if (ended) return ended;
      continue;
    }
    const over = state.ungated ? undefined : spentAll(session);
    if (over) {
      const ended = await askBudget(session, over);
      if (ended) return ended;
      continue;
    }
    const { limits } = session;
    const exhausted = limits && !state.ungated && limitReached(state, limits);
    if (exhausted) return session.close('timeout', exhaustedText(exhausted, state.cause));
    if (wantsRollover(input)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof idea>({ ...input, parent: reporter.parent, state });
    }
    if (state.slotless && !state.ungated) {
      const ended = await waitForTurn(session);
      if (ended) return ended;
      continue;
    }
    let next: NextStep | 'interrupted';
    session.ranSince = undefined;
    try {
      next = await session.interruptible(() => iterate(session));
    } catch (error) {
      if (wasNotTaken(error)) {
        await warnOfNoWorker(session, noWorkerOn(input.queues.git));
        continue;
      }
      const lost = notTheWorksFault(error);
      if (lost && input.settings.ownTrouble && tookWorkerDown(error)) {
        const ended = await afterLoss(session, lost);
        if (ended) return ended;
        continue;
      }
      if (lost) {
        const waitMs = Math.min(500 * 2 ** session.lostWorkers++, LONGEST_LOST_WAIT_MS);
        await backOff(session, waitMs, lost);
        continue;
      }
      const full = diskIsFull(error);
      if (full) {
        await backOff(session, DISK_WAIT_MS, full);
        continue;
      }
      const problem = activityProblem(error);
      if (!problem) throw error;
      return session.close('failed', problem);
    }
    session.lostWorkers = 0;
    await workerIsBack(session);
    if (next === 'interrupted') {
      emit(input, { kind: 'interrupted', idea: input.idea, ...interruptedIn(state) });
      continue;
    }
    const ended = await follow(session, next);
    if (ended) return ended;
  }
}

/** The agent run of a gate is counted already. */
const interruptedIn = ({ ungated, iteration }: IdeaSession['state']) =>
  ungated ? ({ iteration, gate: true } as const) : { iteration: iteration + 1 };

async function follow(session: IdeaSession, next: NextStep): Promise<IdeaResult | undefined> {
  const { input, state } = session;
  if (next.do === 'iterate' || next.do === 'hand-over') noteCause(session, next.feedback);
  switch (next.do) {
    case 'close':
      return session.close(next.outcome, next.reason);
    case 'rerun':
      await backOff(session, next.waitMs, next.why);
      return undefined;
    case 'park':
      return park(session, { trouble: { ...next.trouble, ...session.lastAgent() } });
    case 'hold':
      return park(session, { reached: next.reached });
    case 'ask':
      return ask(session, next.question, true, next);
    case 'ready':
      return land(session);
    case 'hand-over':
      if (next.feedback) state.feedback = next.feedback;
      return park(session, { passed: session.lastAgent().agent });
    case 'iterate':
      if (next.feedback) state.feedback = next.feedback;
      if (input.settings.stepDelayMs > 0) {
        await sleep(input.settings.stepDelayMs, { summary: 'delay between iterations' });
      }
      return undefined;
    case 'gate':
      throw new Error('a gate was decided twice');
  }
}

function noteCause({ state }: IdeaSession, feedback: Feedback | undefined): void {
  const cause = nextCause(state.cause, causeOf(feedback, state.lastSignal));
  if (cause) state.cause = cause;
  else delete state.cause;
}
