/**
 * What the parts of the idea workflow share: its input, the state that survives continue-as-new, its voice towards the
 * autopilot and the screen, and messages that wait to be taken.
 * Invariant: one session per execution; what is not in `state` is lost by continue-as-new and must be re-creatable.
 */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { BudgetAnswer } from '../decide/budget.js';
import { noIterations } from '../decide/iterations.js';
import { patchedLimits } from '../decide/limits-patch.js';
import type { IdeaLimits } from '../protocol/activities.js';
import type { IdeaInput, IdeaResult, IdeaRunState, Verdict } from '../protocol/idea-run.js';
import type { AgentChoice } from '../protocol/limits.js';
import type { IdeaOutcome } from '../protocol/states.js';
import { notTheWorksFault } from './failures.js';
import { IdeaReporter } from './idea-reporter.js';
import { IdeaScreen } from './idea-view.js';

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
  ...(input.carry?.patch ? { patch: input.carry.patch } : {}),
  ...(input.carry?.revision === undefined ? {} : { revision: input.carry.revision }),
  ...(input.carry?.step ? { step: true } : {}),
  ...(input.carry?.skipStep ? { skipStep: input.carry.skipStep } : {}),
  ...(input.choice ? { choice: input.choice } : {}),
  ...(input.ceilings ? { ceilings: input.ceilings } : {}),
});

export class IdeaSession {
  readonly input: IdeaInput;
  readonly state: IdeaRunState;
  readonly reporter: IdeaReporter;
  readonly screen: IdeaScreen;
  /** The open question has an answer. */
  answered = false;
  /** A plain yes to the open question is an approval, and whether it was given. */
  approvable = false;
  approved = false;
  /** What came with a slot. */
  granted: { agentName: string; choice?: AgentChoice } | undefined;
  verdict: Verdict | undefined;
  /** What a person said to a budget that is used up. */
  budgetAnswer: BudgetAnswer | undefined;
  /** Since when an agent runs, epoch ms; undefined while none does. */
  ranSince: number | undefined;
  /** How often in a row no worker took an activity. */
  untaken = 0;
  /** Workers lost in a row. */
  lostWorkers = 0;
  /** What can be ended at once: the iteration that is under way. */
  #iteration: CancellationScope | undefined;
  #interrupted = false;

  constructor(input: IdeaInput) {
    this.input = input;
    this.state = input.state ?? firstIdeaState(input);
    this.reporter = new IdeaReporter(input, this.state);
    this.screen = new IdeaScreen(input, this.state);
  }

  /** Limits as edited; undefined before the first preparation. */
  get limits(): IdeaLimits | undefined {
    const { limits, patch } = this.state;
    return limits && patchedLimits(limits, patch);
  }

  /** Runs what `interrupt` can end. `interrupted`: it was ended that way, and nothing came of it. */
  async interruptible<T>(work: () => Promise<T>): Promise<T | 'interrupted'> {
    this.#interrupted = false;
    const scope = new CancellationScope({ cancellable: true });
    this.#iteration = scope;
    try {
      return await scope.run(work);
    } catch (error) {
      // The activity may end as one whose worker went away, where the cancel came with the worker's own end.
      if (this.#interrupted && (isCancellation(error) || notTheWorksFault(error))) return 'interrupted';
      throw error;
    } finally {
      this.#iteration = undefined;
    }
  }

  /** Ends the iteration that is under way, agent and all; the activity saves what there is before it ends. */
  interrupt(): void {
    if (!this.#iteration) return;
    this.#interrupted = true;
    this.#iteration.cancel();
  }

  /** The answer of a person to a budget that is used up, once. */
  takeBudgetAnswer(): BudgetAnswer | undefined {
    const said = this.budgetAnswer;
    this.budgetAnswer = undefined;
    return said;
  }

  /** Goes on under the agent name of another slot. */
  takeSlot(agentName: string, choice?: AgentChoice): void {
    this.state.agentName = agentName;
    this.state.parked = false;
    if (choice) this.state.choice = choice;
    // Not only a flag: the next run of this workflow must know it, too.
    delete this.state.prepared;
  }

  /** Agent and account of the last run. */
  lastAgent(): { agent: string; account?: string } {
    const { agent = this.state.choice?.agent ?? '', account } = this.state.lastRun ?? {};
    return { agent, ...(account === undefined ? {} : { account }) };
  }

  /** Reports the end and returns the result. A landed idea needs no report: its parent landed it. */
  async close(outcome: IdeaOutcome, reason?: string): Promise<IdeaResult> {
    const { stats } = this.state;
    this.screen.show('closed', outcome);
    if (outcome !== 'landed') await this.reporter.report('closed', { outcome, reason });
    return { idea: this.input.idea, outcome, ...(reason ? { reason } : {}), iterations: stats };
  }
}
