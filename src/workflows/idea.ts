/**
 * The idea workflow: one per idea. Prepares a worktree, then iterates: agent run, signal, gate, decide; waits for a
 * person or for its landing without holding a slot.
 * Invariant: everything that decides is in `src/decide/`; pause and stop act between iterations only; a lost worker
 * costs no iteration; continue-as-new happens between iterations only.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { afterGate, afterRun, costsIteration, limitReached, type NextStep, runBudgetMs } from '../decide/completion.js';
import { addIteration, noIterations } from '../decide/iterations.js';
import type { IdeaLimits, PrepareResult, RunAgentResult } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { IdeaInput, IdeaOutcome, IdeaResult, IdeaRunState, Verdict } from '../protocol/run.js';
import { emit } from './events.js';
import { activityProblem, workerWasLost } from './failures.js';
import { IdeaReporter } from './idea-reporter.js';
import { IdeaScreen, ideaView } from './idea-view.js';
import * as messages from './messages.js';
import { agentActivities, gitActivities } from './proxies.js';

/** Reruns after a lost worker back off up to this long, so that work that kills its worker does not spin. */
const LONGEST_LOST_WAIT_MS = 60_000;

export async function idea(input: IdeaInput): Promise<IdeaResult> {
  if (!input?.project || !input.idea || !input.queues) {
    throw ApplicationFailure.nonRetryable('an idea workflow is started by its autopilot', FAILURE.badInput);
  }
  const shell = new IdeaShell(input);
  try {
    return await shell.main();
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => shell.close('failed', 'cancelled by a person'));
    }
    throw error;
  } finally {
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

class IdeaShell {
  readonly #input: IdeaInput;
  readonly #state: IdeaRunState;
  readonly #reporter: IdeaReporter;
  readonly #screen: IdeaScreen;
  #answered = false;
  #granted: string | undefined;
  #verdict: Verdict | undefined;
  #lostWorkers = 0;

  constructor(input: IdeaInput) {
    this.#input = input;
    this.#state = input.state ?? {
      phase: 'preparing',
      agentName: input.agentName,
      iteration: 0,
      serial: 0,
      activeMs: 0,
      grace: false,
      notes: [],
      commits: 0,
      failures: 0,
      limited: 0,
      seq: 0,
      stats: noIterations(),
      paused: false,
      stopping: false,
    };
    this.#reporter = new IdeaReporter(input, this.#state);
    this.#screen = new IdeaScreen(input, this.#state);
    this.#handleMessages();
  }

  async main(): Promise<IdeaResult> {
    const state = this.#state;
    for (;;) {
      await this.#boundary();
      if (state.stopping) return this.close('stopped', 'stopped by a person');
      const exhausted = state.limits && !state.ungated && limitReached(state, state.limits);
      if (exhausted) return this.close('timeout', exhausted);
      if (this.#wantsRollover()) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof idea>({ ...this.#input, parent: this.#reporter.parent, state });
      }
      let next: NextStep;
      try {
        const prepared = await this.#prepare();
        next = await this.#iterate(prepared.worktree, prepared.limits, prepared);
      } catch (error) {
        if (workerWasLost(error)) {
          await this.#backOff(Math.min(500 * 2 ** this.#lostWorkers++, LONGEST_LOST_WAIT_MS), 'the worker was lost');
          continue;
        }
        const problem = activityProblem(error);
        if (!problem) throw error;
        return this.close('failed', problem);
      }
      this.#lostWorkers = 0;
      const ended = await this.#follow(next);
      if (ended) return ended;
    }
  }

  /** Reports the end and returns the result. A landed idea needs no report: its parent landed it. */
  async close(outcome: IdeaOutcome, reason?: string): Promise<IdeaResult> {
    const { stats } = this.#state;
    this.#screen.show('closed', outcome);
    if (outcome !== 'landed') await this.#reporter.report('closed', { outcome, reason });
    return { idea: this.#input.idea, outcome, ...(reason ? { reason } : {}), iterations: stats };
  }

  // ---- one iteration ----------------------------------------------------------------------------------------------

  async #prepare(): Promise<PrepareResult> {
    const state = this.#state;
    if (state.prepared) return state.prepared;
    this.#screen.show('preparing');
    const { project, runId, idea, queues } = this.#input;
    const prepared = await gitActivities(queues.git, `prepare ${idea}`).prepareIdea({
      project,
      runId,
      idea,
      agentName: state.agentName,
      ...(state.reopen ? { reopen: state.reopen } : {}),
    });
    delete state.reopen;
    state.prepared = prepared;
    state.limits ??= prepared.limits;
    return prepared;
  }

  async #iterate(worktree: string, limits: IdeaLimits, prepared: PrepareResult): Promise<NextStep> {
    const state = this.#state;
    const { settings } = this.#input;
    if (!state.ungated) {
      const run = await this.#runAgent(prepared, limits);
      const context = { limits, settings, failures: state.failures, limited: state.limited, now: Date.now() };
      const next = afterRun(run, context);
      this.#account(run, next);
      if (next.do !== 'gate') return next;
      state.ungated = run;
    }
    const run = state.ungated;
    this.#screen.show('gate');
    const { project, runId, idea, queues } = this.#input;
    const gate = await gitActivities(queues.git, `gate ${idea} #${state.iteration}`).runGate({
      project,
      runId,
      idea,
      serial: state.serial,
      worktree,
    });
    delete state.ungated;
    state.lastGate = gate;
    emit(this.#input, {
      kind: 'gate',
      idea,
      pass: gate.pass,
      ...(gate.failure ? { command: gate.failure.command } : {}),
      ...(gate.tests ? { tests: gate.tests } : {}),
      durationMs: gate.durationMs,
    });
    state.activeMs += gate.durationMs;
    return afterGate(run, gate, limits);
  }

  async #runAgent(prepared: PrepareResult, limits: IdeaLimits): Promise<RunAgentResult> {
    const state = this.#state;
    const { project, runId, idea, queues } = this.#input;
    const iteration = state.iteration + 1;
    this.#screen.show('agent', undefined, iteration);
    this.#delivered = state.notes.length;
    const timeoutMs = runBudgetMs(state, limits);
    const maxIterations = limits.loop ? limits.maxIterations : 1;
    const { agentName, serial } = state;
    emit(this.#input, { kind: 'iteration', idea, serial: serial + 1, iteration, max: maxIterations, agentName });
    return agentActivities(queues.agents, `${idea} #${iteration} by ${state.agentName}`, timeoutMs).runAgent({
      project,
      runId,
      idea,
      agentName: state.agentName,
      serial: state.serial + 1,
      iteration,
      maxIterations,
      timeoutMs,
      worktree: prepared.worktree,
      branch: prepared.branch,
      base: prepared.base,
      ...(state.feedback ? { feedback: state.feedback } : {}),
      notes: state.notes,
    });
  }

  /** Books what a run cost and delivered. */
  #account(run: RunAgentResult, next: NextStep): void {
    const state = this.#state;
    state.serial += 1;
    const { outcome, signal, durationMs, commits } = run;
    emit(this.#input, {
      kind: 'iteration-end',
      idea: this.#input.idea,
      serial: state.serial,
      iteration: state.iteration + 1,
      signal,
      outcome: outcome.kind,
      ...(outcome.kind === 'failed' ? { message: outcome.message } : {}),
      durationMs,
      commits,
    });
    state.head = run.head;
    state.commits += run.commits;
    state.lastSignal = run.signal;
    if (next.do !== 'rerun') {
      state.failures = 0;
      state.limited = 0;
    } else if (next.counts === 'failure') state.failures += 1;
    else state.limited += 1;
    if (!costsIteration(outcome)) return;
    state.activeMs += run.durationMs;
    state.iteration += 1;
    state.grace = false;
    state.stats = addIteration(state.stats, run.durationMs);
    // The agent has read them now; a message that came while it ran is for the next prompt.
    state.notes = state.notes.slice(this.#delivered);
    delete state.feedback;
    if (outcome.kind === 'failed') state.feedback = { kind: 'run-failed', message: outcome.message };
  }

  #delivered = 0;

  async #follow(next: NextStep): Promise<IdeaResult | undefined> {
    const state = this.#state;
    switch (next.do) {
      case 'close':
        return this.close(next.outcome, next.reason);
      case 'rerun':
        await this.#backOff(next.waitMs, next.why);
        return undefined;
      case 'ask':
        return this.#ask(next.question, true);
      case 'ready':
        return this.#land();
      case 'iterate':
        if (next.feedback) state.feedback = next.feedback;
        if (this.#input.settings.stepDelayMs > 0) {
          await sleep(this.#input.settings.stepDelayMs, { summary: 'delay between iterations' });
        }
        return undefined;
      case 'gate':
        throw new Error('a gate was decided twice');
    }
  }

  // ---- waiting ----------------------------------------------------------------------------------------------------

  /** Between iterations: the one place where pause takes hold. */
  async #boundary(): Promise<void> {
    const state = this.#state;
    if (!state.paused || state.stopping) return;
    this.#screen.show('paused', 'paused');
    await this.#reporter.report('paused');
    await condition(() => !state.paused || state.stopping);
    this.#screen.show('preparing', 'running');
    if (!state.stopping) await this.#reporter.report('resumed');
  }

  async #backOff(waitMs: number, why: string): Promise<void> {
    if (waitMs <= 0) return;
    this.#screen.show('backing-off');
    emit(this.#input, { kind: 'waiting', idea: this.#input.idea, why, ms: waitMs });
    await condition(() => this.#state.stopping || this.#state.paused, waitMs, {
      summary: `waits: ${why}`.slice(0, 180),
    });
  }

  /** Frees the slot until a person has answered and the parent has given a slot again. */
  async #ask(question: string, tellParent: boolean): Promise<IdeaResult | undefined> {
    const state = this.#state;
    state.question = question;
    this.#answered = false;
    this.#screen.show('needs-human', 'needs-human');
    if (tellParent) await this.#reporter.report('needs-human', { reason: question });
    await condition(() => this.#answered || state.stopping);
    if (state.stopping) return this.close('stopped', 'stopped while it waited for an answer');
    delete state.question;
    emit(this.#input, { kind: 'answered', idea: this.#input.idea });
    state.grace = true;
    this.#granted = undefined;
    this.#verdict = undefined;
    this.#screen.show('waiting-slot', 'waiting');
    await this.#reporter.report('wants-slot');
    await condition(() => this.#granted !== undefined || this.#verdict !== undefined || state.stopping);
    if (state.stopping) return this.close('stopped', 'stopped while it waited for a slot');
    if (this.#verdict) return this.#takeVerdict(this.#verdict);
    this.#take(this.#granted ?? state.agentName);
    return undefined;
  }

  async #land(): Promise<IdeaResult | undefined> {
    const state = this.#state;
    this.#verdict = undefined;
    this.#screen.show('landing', 'landing');
    await this.#reporter.report('ready');
    await condition(() => this.#verdict !== undefined || state.stopping);
    const verdict: Verdict | undefined = this.#verdict;
    if (!verdict) return this.close('stopped', 'stopped before it landed');
    return this.#takeVerdict(verdict);
  }

  async #takeVerdict(verdict: Verdict): Promise<IdeaResult | undefined> {
    const state = this.#state;
    this.#verdict = undefined;
    switch (verdict.kind) {
      case 'landed':
        return this.close('landed');
      case 'ask':
        return this.#ask(verdict.question, false);
      case 'reopen':
        state.reopen = verdict.reopen;
        state.feedback = verdict.feedback;
        state.grace = true;
        this.#take(verdict.agentName);
        return undefined;
    }
  }

  #take(agentName: string): void {
    this.#state.agentName = agentName;
    // Not only a flag: the next run of this workflow must know it, too.
    delete this.#state.prepared;
  }

  #wantsRollover(): boolean {
    const info = workflowInfo();
    return info.continueAsNewSuggested || info.historyLength >= (this.#input.maxHistory ?? Number.POSITIVE_INFINITY);
  }

  // ---- messages ---------------------------------------------------------------------------------------------------

  #handleMessages(): void {
    const state = this.#state;
    setHandler(messages.pauseSignal, () => {
      state.paused = true;
    });
    setHandler(messages.resumeSignal, () => {
      state.paused = false;
    });
    setHandler(messages.stopSignal, () => {
      state.stopping = true;
    });
    setHandler(messages.answerSignal, (answer) => this.#takeAnswer(answer));
    setHandler(messages.slotSignal, ({ agentName }) => {
      this.#granted = agentName;
    });
    setHandler(messages.verdictSignal, (verdict) => {
      this.#verdict = verdict;
    });
    setHandler(messages.resyncSignal, async ({ parent }) => {
      this.#reporter.parent = parent;
      await this.#reporter.resync();
    });
    setHandler(messages.ideaQuery, () => ideaView(this.#input, this.#state));
  }

  /** An answer to an open question; at any other time, a hint for the next prompt. */
  #takeAnswer(answer: messages.Answer): void {
    const text = (typeof answer === 'string' ? answer : answer?.text)?.trim();
    if (!text) return;
    const { question, notes } = this.#state;
    notes.push(question ? `You asked: ${question}\nThe answer: ${text}` : text);
    if (question) this.#answered = true;
  }
}
