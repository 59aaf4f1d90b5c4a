/**
 * What the parts of the idea workflow share: its input, the state that survives continue-as-new, its voice towards the
 * autopilot and the screen, and messages that wait to be taken.
 * Invariant: one session per execution; what is not in `state` is lost by continue-as-new and must be re-creatable.
 */
import { noIterations } from '../decide/iterations.js';
import type { IdeaInput, IdeaOutcome, IdeaResult, IdeaRunState, Verdict } from '../protocol/run.js';
import { IdeaReporter } from './idea-reporter.js';
import { IdeaScreen } from './idea-view.js';

const firstIdeaState = (input: IdeaInput): IdeaRunState => ({
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
  /** Agent name that came with a slot. */
  granted: string | undefined;
  verdict: Verdict | undefined;
  /** Workers lost in a row. */
  lostWorkers = 0;

  constructor(input: IdeaInput) {
    this.input = input;
    this.state = input.state ?? firstIdeaState(input);
    this.reporter = new IdeaReporter(input, this.state);
    this.screen = new IdeaScreen(input, this.state);
  }

  /** Goes on under the agent name of another slot. */
  takeSlot(agentName: string): void {
    this.state.agentName = agentName;
    // Not only a flag: the next run of this workflow must know it, too.
    delete this.state.prepared;
  }

  /** Reports the end and returns the result. A landed idea needs no report: its parent landed it. */
  async close(outcome: IdeaOutcome, reason?: string): Promise<IdeaResult> {
    const { stats } = this.state;
    this.screen.show('closed', outcome);
    if (outcome !== 'landed') await this.reporter.report('closed', { outcome, reason });
    return { idea: this.input.idea, outcome, ...(reason ? { reason } : {}), iterations: stats };
  }
}
