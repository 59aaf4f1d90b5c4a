/**
 * Budgets and warnings of one idea: recorded after every agent run, checked before the next.
 * Invariant: a warning never stops the loop. A used-up budget asks a person, releases the slot and keeps the work.
 */
import { patched } from '@temporalio/workflow';
import {
  addSpent,
  ideaBudget,
  lineText,
  nearlyUsed,
  nothingSpent,
  runAllowance,
  spentBy,
  usedUp,
} from '../../decide/budget/amounts.js';
import { addPatch } from '../../decide/idea/amendments.js';
import { costsIteration, type NextStep, whyTurnedDown } from '../../decide/idea/completion.js';
import {
  answered,
  climb,
  couldBeStronger,
  DEFAULT_WARNINGS,
  leftBy,
  noStall,
  nothingWatched,
  observe,
  rungsText,
  warn,
  wordsOf,
} from '../../decide/idea/stall.js';
import { mayHaveUsed } from '../../decide/idea/used.js';
import type { IdeaLimits } from '../../protocol/activities.js';
import type { RunAgentResult } from '../../protocol/agent-run.js';
import type { BudgetLine } from '../../protocol/budget.js';
import type { GateResult } from '../../protocol/gate.js';
import type { Rung, WarningAnswer, Watch } from '../../protocol/warnings.js';
import { emit } from '../publish.js';
import type { IdeaSession } from './session.js';

/** The budget that forbids another run. */
export const spentAll = ({ input, state }: IdeaSession): BudgetLine | undefined => usedUp(ideaBudget(input, state));

/** What the next run may use. */
export const allowance = ({ input, state }: IdeaSession): ReturnType<typeof runAllowance> =>
  runAllowance(input.settings.budget?.iteration, ideaBudget(input, state));

/** Records the use of a run. Tells the autopilot where it has a budget. */
export async function book({ input, state, reporter }: IdeaSession, run: RunAgentResult): Promise<void> {
  const charged = costsIteration(run.outcome);
  // A run that a budget did not let begin used nothing, so the autopilot needs no report.
  if (!charged && run.outcome.kind === 'timeout' && run.durationMs === 0) return;
  const spent = spentBy(run, charged, mayHaveUsed(run, input.settings.ownTrouble === true));
  state.spent = addSpent(state.spent ?? nothingSpent(), spent);
  const { budget } = input.settings;
  if (budget?.run || budget?.day) await reporter.report('spent', { spent });
}

/** Checks the result of an iteration, and warns when due. */
export async function watch(
  session: IdeaSession,
  run: RunAgentResult,
  gate: GateResult | undefined,
  limits: IdeaLimits,
): Promise<void> {
  const { input, state } = session;
  if (!limits.loop || run.tree === undefined || !costsIteration(run.outcome)) return;
  const { settings } = input;
  const before = state.watch ?? nothingWatched();
  const budget = Object.fromEntries(
    nearlyUsed(ideaBudget(input, state), settings.budget?.warnAt ?? 1).map((line) => [
      line.dimension,
      `budget of this idea: ${lineText(line)}`,
    ]),
  );
  const left = leftBy({ tree: run.tree, changed: run.changed }, gate, state.plan?.step, turnedDownFor(run, limits));
  const seen = observe(before, left, !settings.ladder);
  const { watch: after, given } = warn(seen, {
    ...(settings.ladder
      ? { rungs: rungsText(state.stall ?? noStall(), seen.same, settings.ladder, ableIn(session)) }
      : {}),
    ...{ iteration: state.iteration, most: limits.maxIterations, now: Date.now(), budget },
    settings: settings.warnings ?? DEFAULT_WARNINGS,
  });
  state.watch = after;
  for (const { kind, text } of given) emit(input, { kind: 'warning', idea: input.idea, warning: kind, text });
  if (given.length > 0 || after.open.length !== before.open.length) await tell(session, before);
}

/** Asked for only where it makes a difference, so that histories without that case stay as they are. */
function turnedDownFor(run: RunAgentResult, limits: IdeaLimits): string | undefined {
  const why = whyTurnedDown(run, limits);
  return why !== undefined && patched('turned-down-counts') ? why : undefined;
}

/** A change outside during the run is a warning of its own. It says nothing about the idea's progress. */
export async function notice(session: IdeaSession, { noticed: text }: RunAgentResult): Promise<void> {
  if (!text) return;
  const { input, state } = session;
  const before = state.watch ?? nothingWatched();
  const others = before.open.filter(({ kind }) => kind !== 'outside');
  state.watch = { ...before, open: [...others, { kind: 'outside', text, since: Date.now() }] };
  emit(input, { kind: 'warning', idea: input.idea, warning: 'outside', text });
  await tell(session, before);
}

/** No worker takes the activity that the idea waits for. */
export async function warnOfNoWorker(session: IdeaSession, text: string): Promise<void> {
  const { input, state } = session;
  session.untaken += 1;
  const before = state.watch ?? nothingWatched();
  if (before.open.some((one) => one.kind === 'worker' && one.text === text)) return;
  const others = before.open.filter(({ kind }) => kind !== 'worker');
  state.watch = { ...before, open: [...others, { kind: 'worker', text, since: Date.now() }] };
  emit(input, { kind: 'warning', idea: input.idea, warning: 'worker', text });
  await tell(session, before);
}

/** A worker took it. */
export async function workerIsBack(session: IdeaSession): Promise<void> {
  const { watch } = session.state;
  session.untaken = 0;
  if (!watch?.open.some(({ kind }) => kind === 'worker')) return;
  session.state.watch = { ...watch, open: watch.open.filter(({ kind }) => kind !== 'worker') };
  await tell(session, watch);
}

/** A person has answered the warnings. */
export async function answerWarnings(session: IdeaSession, answer: WarningAnswer): Promise<void> {
  const { state } = session;
  const before = state.watch ?? nothingWatched();
  state.watch = answered(before);
  // A person's answer also restarts the escalation.
  delete state.stall;
  if (answer.do === 'stop') {
    delete state.drain;
    state.stopping = true;
  }
  if (answer.do === 'more') state.patch = addPatch(state.patch, { extra: answer.by });
  if (before.open.length > 0 && state.phase !== 'closed') await tell(session, before);
}

/** Tells the autopilot all warnings that are open now, and the events which of `before` are over. */
async function tell({ input, state, reporter }: IdeaSession, before: Watch): Promise<void> {
  const { open } = state.watch ?? nothingWatched();
  const kinds = new Set(open.map(({ kind }) => kind));
  for (const kind of new Set(before.open.map((one) => one.kind)))
    if (!kinds.has(kind)) emit(input, { kind: 'warning-over', idea: input.idea, warning: kind });
  await reporter.report('warnings', { warnings: open });
}

/*
 * What follows when an idea stops making progress. Runs that began without an escalation do nothing.
 * Invariant: the decision is in `src/decide/idea/stall.ts`. This part only passes it to the next prompt, the next run,
 * the autopilot (which alone chooses agents) or a person.
 */

/** Whether a rung would change anything now. */
function ableIn({ input, state }: IdeaSession): (rung: Rung) => boolean {
  const { ladder } = input.settings;
  const agent = state.choice?.agent ?? state.lastRun?.agent;
  return (rung) => rung.do !== 'stronger' || (ladder !== undefined && couldBeStronger(ladder, agent, state.stronger));
}

/** Call after the iteration was counted (`watch`). */
export function escalated(session: IdeaSession, next: NextStep): NextStep {
  const { input, state } = session;
  const { ladder } = input.settings;
  if (!ladder || next.do !== 'iterate' || !state.watch) return next;
  const idle = state.watch.same;
  const { stall, rung } = climb(state.stall ?? noStall(), idle, ladder, ableIn(session));
  state.stall = stall;
  if (!rung) return next;
  const words = wordsOf(input.idea, rung, idle, next.feedback);
  emit(input, { kind: 'escalated', idea: input.idea, rung: rung.do, iterations: idle });
  if (rung.do === 'ask') {
    state.watch = { ...state.watch, same: 0 };
    return { do: 'ask', question: words, asking: 'escalation' };
  }
  state.notes.push(words);
  state.ownNotes = (state.ownNotes ?? 0) + 1;
  switch (rung.do) {
    case 'nudge':
      return next;
    case 'fresh':
      // The last feedback is part of the approach to forget.
      return { do: 'iterate' };
    case 'stronger':
      state.stronger = true;
      return next;
    case 'other':
      return { ...next, do: 'hand-over' };
  }
}
