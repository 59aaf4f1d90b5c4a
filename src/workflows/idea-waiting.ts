/**
 * Waiting without a slot: for a person's answer, and for the landing. Both end with a slot and a way on, or with the idea.
 * Invariant: nothing works in the worktree meanwhile.
 */
import { condition } from '@temporalio/workflow';
import {
  addAmounts,
  addSpent,
  ideaQuestion,
  lineText,
  nothingSpent,
  reachedText,
  spentBy,
} from '../decide/budget/amounts.js';
import { cutOffQuestion, limitReached, MOST_CUT_OFF } from '../decide/idea/completion.js';
import type { BudgetLine, BudgetReached } from '../protocol/budget.js';
import type { IdeaResult, Verdict } from '../protocol/idea-run.js';
import type { Trouble } from '../protocol/limits.js';
import type { IdeaSession } from './idea-session.js';
import { emit } from './publish.js';

/** Approvals that are remembered; more than a gate can ask for at once. */
const MOST_APPROVED = 40;

/** Frees the slot until a person has answered and the parent has given a slot again. */
export async function ask(
  session: IdeaSession,
  question: string,
  tellParent: boolean,
  /** What a plain yes lets land as it is. */
  approve?: readonly string[],
): Promise<IdeaResult | undefined> {
  const { input, state, screen, reporter } = session;
  state.question = question;
  session.answered = false;
  session.approved = false;
  session.approvable = approve !== undefined;
  screen.show('needs-human', 'needs-human');
  if (tellParent) await reporter.report('needs-human', { reason: question, ...(approve ? { approvable: true } : {}) });
  await condition(() => session.answered || state.stopping);
  if (state.stopping) return session.close('stopped', 'stopped while it waited for an answer');
  delete state.question;
  session.approvable = false;
  emit(input, { kind: 'answered', idea: input.idea });
  if (session.approved && approve) {
    state.approved = [...(state.approved ?? []), ...approve].slice(-MOST_APPROVED);
    return land(session);
  }
  state.grace = true;
  session.granted = undefined;
  session.verdict = undefined;
  screen.show('waiting-slot', 'waiting');
  await reporter.report('wants-slot');
  return waitForSlot(session);
}

/** Its budget is used up: a person raises it, or ends the idea with its work kept. */
export async function askBudget(session: IdeaSession, line: BudgetLine): Promise<IdeaResult | undefined> {
  const { input, state, screen, reporter } = session;
  state.question = ideaQuestion(line);
  state.asking = 'budget';
  session.budgetAnswer = undefined;
  screen.show('needs-human', 'needs-human');
  await reporter.report('needs-human', { reason: state.question });
  await condition(() => session.budgetAnswer !== undefined || state.stopping);
  if (state.stopping) return session.close('stopped', 'stopped while it waited for an answer');
  delete state.question;
  delete state.asking;
  const answer = session.takeBudgetAnswer();
  if (answer?.do === 'stop') return session.close('timeout', `its budget is used up: ${lineText(line)}`);
  if (answer) state.raised = addAmounts(state.raised, answer.by);
  emit(input, { kind: 'answered', idea: input.idea });
  session.granted = undefined;
  session.verdict = undefined;
  screen.show('waiting-slot', 'waiting');
  await reporter.report('wants-slot');
  return waitForSlot(session);
}

/**
 * Gives the slot back until one of its agents can work: after a run that could not, when told so, for another agent, or
 * because a budget of run or day is used up.
 */
export async function park(
  session: IdeaSession,
  {
    trouble,
    passed,
    reached,
    lost,
  }: { trouble?: Trouble; passed?: string; reached?: BudgetReached; lost?: number } = {},
): Promise<IdeaResult | undefined> {
  const { input, state, screen, reporter } = session;
  state.parked = true;
  session.granted = undefined;
  session.verdict = undefined;
  screen.show('waiting-slot', passed === undefined && !reached && !lost ? 'limited' : 'waiting');
  if (trouble) emit(input, { kind: 'parked', idea: input.idea, trouble });
  if (reached) emit(input, { kind: 'held', idea: input.idea, why: reachedText(reached) });
  await reporter.report('parked', {
    ...(trouble ? { trouble } : {}),
    ...(passed === undefined ? {} : { passed }),
    ...(reached ? { reached } : {}),
    ...(lost ? { lost } : {}),
  });
  return waitForSlot(session);
}

async function waitForSlot(session: IdeaSession): Promise<IdeaResult | undefined> {
  const { state } = session;
  await condition(() => session.granted !== undefined || session.verdict !== undefined || state.stopping);
  if (state.stopping) return session.close('stopped', 'stopped while it waited for a slot');
  if (session.verdict) return takeVerdict(session, session.verdict);
  session.takeSlot(session.granted?.agentName ?? state.agentName, session.granted?.choice);
  return undefined;
}

export async function land(session: IdeaSession): Promise<IdeaResult | undefined> {
  const { state, screen, reporter } = session;
  session.verdict = undefined;
  screen.show('landing', 'landing');
  await reporter.report('ready');
  // A run that stops lands what is finished, and says so by its verdict; where it cannot, it stops the idea itself.
  await condition(() => session.verdict !== undefined || (state.stopping && !state.drain));
  const verdict: Verdict | undefined = session.verdict;
  if (!verdict) return session.close('stopped', 'stopped before it landed');
  return takeVerdict(session, verdict);
}

async function takeVerdict(session: IdeaSession, verdict: Verdict): Promise<IdeaResult | undefined> {
  const { state } = session;
  session.verdict = undefined;
  switch (verdict.kind) {
    case 'landed':
      return session.close('landed');
    case 'ask':
      return ask(session, verdict.question, false);
    case 'close':
      // In a plan it is the step that is left out.
      if (verdict.outcome === 'skipped' && state.plan && state.prepared?.plan) {
        state.skipStep = { step: state.plan.step, why: verdict.reason, failed: true };
        return park(session);
      }
      return session.close(verdict.outcome, verdict.reason);
    case 'reopen':
      state.reopen = verdict.reopen;
      state.feedback = verdict.feedback;
      state.grace = true;
      session.takeSlot(verdict.agentName, verdict.choice);
      return undefined;
  }
}

/*
 * Waiting with a slot in hand: at the boundary between iterations, and before a run is tried again.
 * Invariant: the boundary is the one place where a pause or a missing approval takes hold.
 */

export async function boundary(session: IdeaSession): Promise<void> {
  const { state } = session;
  while (!state.stopping) {
    if (state.paused) await pause(session);
    else if (needsApproval(session)) await approval(session);
    else return;
  }
}

async function pause({ state, screen, reporter }: IdeaSession): Promise<void> {
  screen.show('paused', 'paused');
  await reporter.report('paused');
  await condition(() => !state.paused || state.stopping);
  screen.show('preparing', 'running');
  if (!state.stopping) await reporter.report('resumed');
}

/** Step mode (A6): an agent run needs an approval; one that was not charged needs no second one. */
function needsApproval({ state, limits }: IdeaSession): boolean {
  if (!state.step || state.mayRun || state.ungated) return false;
  return !limits || limitReached(state, limits) === undefined;
}

async function approval(session: IdeaSession): Promise<void> {
  const { state, screen, reporter } = session;
  screen.show('approval', 'paused');
  await reporter.report('approval');
  await condition(() => state.mayRun === true || !state.step || state.stopping || state.paused);
  screen.show('preparing', 'running');
  if (!state.stopping && !state.paused) await reporter.report('resumed');
}

export async function backOff({ input, state, screen }: IdeaSession, waitMs: number, why: string): Promise<void> {
  if (waitMs <= 0) return;
  screen.show('backing-off');
  emit(input, { kind: 'waiting', idea: input.idea, why, ms: waitMs });
  await condition(() => state.stopping || state.paused, waitMs, { summary: `waits: ${why}`.slice(0, 180) });
}

/*
 * What follows when the worker went down while it did something for the idea. Runs that began without `ownTrouble` try
 * again for ever.
 * Invariant: the idea is charged nothing but what its agent used, as far as that is known; after some times in a row a
 * person is asked.
 */

/** From the second time in a row on, the idea may be what takes the worker down. */
const SUSPECT_AFTER = 2;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

export async function afterLoss(session: IdeaSession, why: string): Promise<IdeaResult | undefined> {
  const { state } = session;
  const times = (state.cutOff ?? 0) + 1;
  state.cutOff = times;
  await bookCutOff(session);
  if (times >= MOST_CUT_OFF) {
    delete state.cutOff;
    delete state.suspect;
    return ask(session, cutOffQuestion(`${why}.`), true);
  }
  await backOff(session, Math.min(FIRST_WAIT_MS * 2 ** (times - 1), LONGEST_WAIT_MS), why);
  if (times < SUSPECT_AFTER || state.stopping || state.paused) return undefined;
  state.suspect = true;
  return park(session, { lost: times });
}

/** What the agent used is not known; how long it ran is. */
async function bookCutOff({ input, state, reporter, ranSince }: IdeaSession): Promise<void> {
  if (ranSince === undefined) return;
  const { budget } = input.settings;
  const spent = spentBy({ durationMs: Math.max(0, Date.now() - ranSince) }, false, true);
  state.spent = addSpent(state.spent ?? nothingSpent(), spent);
  if (budget?.run || budget?.day) await reporter.report('spent', { spent });
}
