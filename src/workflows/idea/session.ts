/**
 * Shared by the parts of the idea workflow: its input, the state that survives continue-as-new, its reports to the
 * autopilot, its display, and pending messages.
 * Invariant: one session per execution. Everything outside `state` is lost by continue-as-new and must be reproducible.
 */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { BudgetAnswer } from '../../decide/budget/amounts.js';
import { patchedLimits } from '../../decide/idea/amendments.js';
import { leftNotes } from '../../decide/idea/answers.js';
import { clip, MAX_QUESTION } from '../../decide/text.js';
import { ideaDetails } from '../../decide/views/details.js';
import { noIterations } from '../../decide/views/survey.js';
import type { IdeaLimits } from '../../protocol/activities.js';
import type { IdeaInput, IdeaPhase, IdeaReport, IdeaResult, IdeaRunState, Verdict } from '../../protocol/idea-run.js';
import type { AgentChoice } from '../../protocol/limits.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import * as messages from '../messages.js';
import { notTheWorksFault } from '../proxies.js';
import { emit, RALPH_ITERATION, RALPH_STATE } from '../publish.js';
import { courseOf, ideaView } from './view.js';

const firstIdeaState = (input: IdeaInput): IdeaRunState => ({
  phase: 'preparing',
  agentName: input.agentName,
  iteration: input.carry?.iteration ?? 0,
  serial: 0,
  activeMs: 0,
  grace: false,
  notes: input.carry?.notes ?? [],
  commits: 0,
  failures: 0,
  limited: 0,
  seq: 0,
  stats: noIterations(),
  paused: false,
  stopping: false,
  patch: input.carry?.patch,
  revision: input.carry?.revision,
  step: input.carry?.step,
  skipStep: input.carry?.skipStep,
  choice: input.choice,
  ceilings: input.ceilings,
});

export class IdeaSession {
  readonly input: IdeaInput;
  readonly state: IdeaRunState;
  readonly reporter: IdeaReporter;
  readonly screen: IdeaScreen;
  /** The open question has an answer, and its text where it has one. */
  answered = false;
  answerText: string | undefined;
  /** An approval answers the open question, and whether it was given. */
  approvable = false;
  approved = false;
  /** Told to resume since its pause began. */
  resumed = false;
  /** The message that came with a slot. */
  granted: { agentName: string; choice?: AgentChoice } | undefined;
  verdict: Verdict | undefined;
  /** A person's answer about a used-up budget. */
  budgetAnswer: BudgetAnswer | undefined;
  /** Since when an agent has been running, epoch ms; undefined without one. */
  ranSince: number | undefined;
  /** How often in a row no worker took an activity. */
  untaken = 0;
  /** How often in a row the tracker could not take its claim. */
  claimTries = 0;
  /** How many workers in a row were lost. */
  lostWorkers = 0;
  /** The iteration in progress, which an interruption ends. */
  #iteration: CancellationScope | undefined;
  #interrupted = false;

  constructor(input: IdeaInput) {
    this.input = input;
    this.state = input.state ?? firstIdeaState(input);
    this.reporter = new IdeaReporter(input, this.state);
    this.screen = new IdeaScreen(input, this.state);
  }

  /** Edited limits; undefined before the first preparation. */
  get limits(): IdeaLimits | undefined {
    const { limits, patch } = this.state;
    return limits && patchedLimits(limits, patch);
  }

  /** Runs work that `interrupt` can end. `interrupted`: it was ended that way, without a result. */
  async interruptible<T>(work: () => Promise<T>): Promise<T | 'interrupted'> {
    this.#interrupted = false;
    const scope = new CancellationScope({ cancellable: true });
    this.#iteration = scope;
    try {
      return await scope.run(work);
    } catch (error) {
      // The activity may end as if its worker was lost, when the cancel arrived with the worker's own end.
      if (this.#interrupted && (isCancellation(error) || notTheWorksFault(error))) return 'interrupted';
      throw error;
    } finally {
      this.#iteration = undefined;
    }
  }

  /** Ends the iteration in progress with its agent. The activity saves the work before it ends. */
  interrupt(): void {
    if (!this.#iteration) return;
    this.#interrupted = true;
    this.#iteration.cancel();
  }

  /** A person's answer about a used-up budget, once. */
  takeBudgetAnswer(): BudgetAnswer | undefined {
    const said = this.budgetAnswer;
    this.budgetAnswer = undefined;
    return said;
  }

  /** Continues in a slot. Under the number that it kept beside the slots, its worktree is as its agent left it. */
  takeSlot(agentName: string, choice?: AgentChoice): void {
    const { state } = this;
    const kept = state.slotless === true && state.agentName === agentName && !state.reopen;
    state.agentName = agentName;
    state.parked = false;
    if (choice) state.choice = choice;
    delete state.slotless;
    // Also in the state: the next run of this workflow must know it.
    if (!kept) delete state.prepared;
  }

  /** Agent and account of the last run. */
  lastAgent(): { agent: string; account?: string } {
    const { agent = this.state.choice?.agent ?? '', account } = this.state.lastRun ?? {};
    return { agent, account };
  }

  /** What people said and no prompt had waits for the idea's next start. */
  #leaveNotes(): Pick<IdeaReport, 'notes'> {
    const { kept, dropped } = leftNotes(this.state.notes);
    const why = 'the idea ended before its next prompt, and too many texts already wait for its next start';
    const { idea } = this.input;
    for (const text of dropped) emit(this.input, { kind: 'refused', verb: 'hint', idea, text: clip(text, 200), why });
    return kept.length > 0 ? { notes: kept } : {};
  }

  /** Reports the end and returns the result. A landed idea needs no report, because its parent landed it. */
  async close(outcome: IdeaOutcome, reason?: string): Promise<IdeaResult> {
    const { stats } = this.state;
    this.screen.show('closed', outcome);
    if (outcome !== 'landed') await this.reporter.report('closed', { outcome, reason, ...this.#leaveNotes() });
    return { idea: this.input.idea, outcome, reason: reason || undefined, iterations: stats };
  }
}

/*
 * The reports of an idea to its autopilot. Invariant: reports are numbered, and a repeated report is identical, so that
 * it cannot count twice. A lost autopilot fails nothing: the next one asks.
 */

const KIND_OF_PHASE: Partial<Record<IdeaPhase, IdeaReport['kind']>> = {
  landing: 'ready',
  'needs-human': 'needs-human',
  'waiting-slot': 'wants-slot',
  paused: 'paused',
  approval: 'approval',
};

const workedOf = ({ worked }: IdeaRunState): Pick<IdeaReport, 'worked'> => (worked ? { worked } : {});

export class IdeaReporter {
  readonly #input: IdeaInput;
  readonly #state: IdeaRunState;
  #last: IdeaReport | undefined;
  /** Workflow id of the autopilot; another one after an adoption. */
  parent: string;

  constructor(input: IdeaInput, state: IdeaRunState) {
    this.#input = input;
    this.#state = state;
    this.parent = input.parent;
  }

  async report(kind: IdeaReport['kind'], more: Partial<IdeaReport> = {}): Promise<void> {
    const state = this.#state;
    const { idea, life } = this.#input;
    state.seq += 1;
    const report: IdeaReport = {
      idea,
      life,
      seq: state.seq,
      kind,
      iterations: state.stats,
      ...workedOf(state),
      course: courseOf(state),
      ...more,
    };
    if (kind === 'ready' && state.prepared && state.head) {
      const { worktree, branch, base } = state.prepared;
      report.work = { worktree, branch, base, head: state.head, agentName: state.agentName };
    }
    this.#last = report;
    await this.#deliver(report);
  }

  /** Repeats the last report. */
  async resync(): Promise<void> {
    const { phase, question } = this.#state;
    if (phase === 'closed') return;
    const beside = phase === 'gate' && this.#state.slotless;
    const kind = beside ? 'gating' : (KIND_OF_PHASE[phase] ?? 'resumed');
    if (this.#last?.kind === kind) await this.#deliver(this.#last);
    else await this.report(kind, question ? { reason: clip(question, MAX_QUESTION) } : {});
  }

  async #deliver(report: IdeaReport): Promise<void> {
    try {
      await getExternalWorkflowHandle(this.parent).signal(messages.reportSignal, report);
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.warn('the autopilot did not get the report; it asks for it when it is back', { kind: report.kind });
    }
  }
}

/** Enters phases and shows them. Attributes are written only on a change, because each write is a history event. */
export class IdeaScreen {
  readonly #input: IdeaInput;
  readonly #state: IdeaRunState;
  #shownState = 'running';
  readonly #listed = listedAtStart();

  constructor(input: IdeaInput, state: IdeaRunState) {
    this.#input = input;
    this.#state = state;
  }

  /**
   * `listed`: value of the RalphState attribute. By default an agent run shows as running, and other phases keep the
   * value.
   */
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

/** The autopilot set this attribute when it started the idea, which saves one write. */
function listedAtStart(): number | undefined {
  const { continuedFromExecutionRunId, typedSearchAttributes } = workflowInfo();
  return continuedFromExecutionRunId === undefined ? typedSearchAttributes.get(RALPH_ITERATION) : undefined;
}
