/**
 * Waits without a slot: for a person's answer, and for the landing. Each wait ends with a slot and a next step, or ends
 * the idea.
 * Invariant: nothing works in the worktree meanwhile.
 */
import { condition, patched, uuid4 } from '@temporalio/workflow';
import {
  addAmounts,
  addSpent,
  ideaQuestion,
  lineText,
  nothingSpent,
  reachedText,
  spentBy,
} from '../../decide/budget/amounts.js';
import { cutOffQuestion, limitReached, MOST_CUT_OFF } from '../../decide/idea/completion.js';
import { pauseGivesSlotBack } from '../../decide/idea/slot-back.js';
import { clip, MAX_QUESTION } from '../../decide/text.js';
import type { BudgetLine, BudgetReached } from '../../protocol/budget.js';
import type { Asking } from '../../protocol/events.js';
import type { IdeaResult, Verdict } from '../../protocol/idea-run.js';
import type { Trouble } from '../../protocol/limits.js';
import { emit } from '../publish.js';
import type { IdeaSession } from './session.js';

/** Approvals that are remembered; more than one gate can ask for. */
const MOST_APPROVED = 40;

/** Characters of a question's id. An idea asks few questions, and people may type the id. */
const ID_LENGTH = 4;

/** Releases the slot until a person has answered and the parent has assigned a slot again. */
export async function ask(
  session: IdeaSession,
  question: string,
  tellParent: boolean,
  /** `approve`: the findings that an approval accepts. `lands`: any answer queues it to land. */
  { approve, asking = 'question', lands }: { approve?: readonly string[]; asking?: Asking; lands?: boolean } = {},
): Promise<IdeaResult | undefined> {
  const { state, screen, reporter } = session;
  delete state.slotless;
  openQuestion(session, question, asking);
  session.approved = false;
  session.approvable = approve !== undefined;
  screen.show('needs-human', 'needs-human');
  emitAsks(session, question, asking);
  if (tellParent)
    await reporter.report('needs-human', {
      reason: clip(question, MAX_QUESTION),
      approvable: approve ? true : undefined,
    });
  await condition(() => session.answered || state.stopping);
  if (state.stopping)
    return session.close('stopped', `stopped while it waited for an ${approve ? 'approval' : 'answer'}`);
  closeQuestion(session);
  session.approvable = false;
  const accepted = session.approved ? approve : undefined;
  if (accepted) state.approved = [...(state.approved ?? []), ...accepted].slice(-MOST_APPROVED);
  if (accepted || lands) return land(session);
  state.grace = true;
  session.granted = undefined;
  session.verdict = undefined;
  screen.show('waiting-slot', 'waiting');
  await reporter.report('wants-slot');
  return waitForSlot(session);
}

function openQuestion(session: IdeaSession, question: string, asking: Asking): void {
  const { state } = session;
  session.answered = false;
  session.answerText = undefined;
  session.budgetAnswer = undefined;
  state.question = question;
  state.asking = asking;
  state.asked = { id: uuid4().slice(0, ID_LENGTH), at: Date.now() };
}

function emitAsks({ input, state }: IdeaSession, question: string, asking: Asking): void {
  emit(input, { kind: 'asks', idea: input.idea, asking, question, id: state.asked?.id });
}

function closeQuestion({ input, state, answerText }: IdeaSession): void {
  const { asked, answer } = state;
  delete state.question;
  delete state.asking;
  delete state.asked;
  // Older versions note no answer.
  const taken = answer && answer.question === asked?.id ? answer : undefined;
  emit(input, {
    kind: 'answered',
    idea: input.idea,
    text: answerText,
    by: taken?.by,
    id: asked?.id,
    who: taken?.who,
  });
}

/** Its budget is used up: a person raises it, or ends the idea and keeps its work. */
export async function askBudget(session: IdeaSession, line: BudgetLine): Promise<IdeaResult | undefined> {
  const { state, screen, reporter } = session;
  delete state.slotless;
  const question = ideaQuestion(line);
  openQuestion(session, question, 'budget');
  screen.show('needs-human', 'needs-human');
  emitAsks(session, question, 'budget');
  await reporter.report('needs-human', { reason: question });
  await condition(() => session.budgetAnswer !== undefined || state.stopping);
  if (state.stopping) return session.close('stopped', 'stopped while it waited for an answer');
  closeQuestion(session);
  const answer = session.takeBudgetAnswer();
  if (answer?.do === 'stop') return session.close('timeout', `its budget is used up: ${lineText(line)}`);
  if (answer) state.raised = addAmounts(state.raised, answer.by);
  session.granted = undefined;
  session.verdict = undefined;
  screen.show('waiting-slot', 'waiting');
  await reporter.report('wants-slot');
  return waitForSlot(session);
}

/**
 * Releases the slot until one of its agents can work: after a run that could not work, on a message from the autopilot,
 * for another agent, or because a budget of run or day is used up.
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
  delete state.slotless;
  state.parked = true;
  session.granted = undefined;
  session.verdict = undefined;
  screen.show('waiting-slot', passed === undefined && !reached && !lost ? 'limited' : 'waiting');
  if (trouble) emit(input, { kind: 'parked', idea: input.idea, trouble });
  if (reached) emit(input, { kind: 'held', idea: input.idea, why: reachedText(reached) });
  await reporter.report('parked', {
    trouble,
    passed,
    reached,
    lost: lost || undefined,
  });
  return waitForSlot(session);
}

/** Its gate is over, and the work goes on. The slots went to others meanwhile. */
export async function waitForTurn(session: IdeaSession): Promise<IdeaResult | undefined> {
  session.granted = undefined;
  session.verdict = undefined;
  session.screen.show('waiting-slot', 'waiting');
  await session.reporter.report('wants-slot');
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
  const stopped = (): Promise<IdeaResult> =>
    session.close('stopped', `stopped before it landed${state.stopReason ? `: ${state.stopReason}` : ''}`);
  // Reported as ready, it could land before the run learns of the stop.
  if (stopsItself(session) && patched('stop-before-ready')) return stopped();
  delete state.slotless;
  session.verdict = undefined;
  screen.show('landing', 'landing');
  await reporter.report('ready');
  // A stopping run lands finished work and says so in its verdict. Where it cannot, it stops the idea itself.
  await condition(() => session.verdict !== undefined || stopsItself(session));
  const verdict: Verdict | undefined = session.verdict;
  return verdict ? takeVerdict(session, verdict) : stopped();
}

/** A person stopped this idea by itself, or the run ends it. */
const stopsItself = ({ state: { stopping, drain } }: IdeaSession): boolean => stopping && !drain;

async function takeVerdict(session: IdeaSession, verdict: Verdict): Promise<IdeaResult | undefined> {
  const { state } = session;
  session.verdict = undefined;
  switch (verdict.kind) {
    case 'landed':
      return session.close('landed');
    case 'ask':
      return ask(session, verdict.question, false, { asking: 'landing', lands: verdict.lands });
    case 'close':
      if (verdict.outcome === 'skipped' && state.plan && state.prepared?.plan && !endsInLanding(session)) {
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

/** A step is skipped for the trouble of its agents. Ready to land, all steps are over: its pull request was closed. */
const endsInLanding = ({ state }: IdeaSession): boolean => state.phase === 'landing' && patched('closed-pull-ends');

/*
 * Waits between iterations, and before a retry of a run. But for a pause they keep the slot.
 * Invariant: pauses and missing approvals take effect only between iterations.
 */

export async function boundary(session: IdeaSession): Promise<void> {
  const { state } = session;
  while (!state.stopping) {
    if (state.paused) await pause(session);
    else if (needsApproval(session)) await approval(session);
    else return;
  }
}

async function pause(session: IdeaSession): Promise<void> {
  const { input, state, screen, reporter } = session;
  const beside = pauseGivesSlotBack(input.settings, state);
  if (beside) state.slotless = true;
  session.resumed = false;
  screen.show('paused', 'paused');
  await reporter.report('paused', beside ? { beside } : {});
  // Paused anew right after it was told to resume, it says so again: the run keeps a slot for it until it reports.
  await condition(() => !state.paused || state.stopping || (beside && session.resumed));
  if (state.paused && !state.stopping) return;
  screen.show('preparing', 'running');
  // Without a slot it asks for one next.
  if (!state.stopping && !beside) await reporter.report('resumed');
}

/** Step mode (A6): an agent run needs an approval. A retry of an uncharged run needs no second one. */
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
 * What follows when the worker is lost while it works for the idea. Runs that began without `ownTrouble` retry for
 * ever.
 * Invariant: the idea is charged only for the known use of its agent. After several losses in a row a person is asked.
 */

/** From the second loss in a row on, the idea may be the cause. */
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
    return ask(session, cutOffQuestion(`${why}.`), true, { asking: 'trouble' });
  }
  await backOff(session, Math.min(FIRST_WAIT_MS * 2 ** (times - 1), LONGEST_WAIT_MS), why);
  if (times < SUSPECT_AFTER || state.stopping || state.paused) return undefined;
  state.suspect = true;
  return park(session, { lost: times });
}

/** The agent's use is unknown; its running time is known. */
async function bookCutOff({ input, state, reporter, ranSince }: IdeaSession): Promise<void> {
  if (ranSince === undefined) return;
  const { budget } = input.settings;
  const spent = spentBy({ durationMs: Math.max(0, Date.now() - ranSince) }, false, true);
  state.spent = addSpent(state.spent ?? nothingSpent(), spent);
  if (budget?.run || budget?.day) await reporter.report('spent', { spent });
}
