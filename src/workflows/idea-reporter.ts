/**
 * What an idea tells its autopilot. Invariant: reports are numbered; what was said already is repeated as it was, so that
 * it cannot count twice. An autopilot that is gone fails nothing: the next one asks.
 */
import { getExternalWorkflowHandle, isCancellation, log } from '@temporalio/workflow';
import type { IdeaInput, IdeaPhase, IdeaReport, IdeaRunState } from '../protocol/idea-run.js';
import * as messages from './messages.js';

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
      ...more,
    };
    if (kind === 'ready' && state.prepared && state.head) {
      const { worktree, branch, base } = state.prepared;
      report.work = { worktree, branch, base, head: state.head, agentName: state.agentName };
    }
    this.#last = report;
    await this.#deliver(report);
  }

  /** Says again where the idea stands. */
  async resync(): Promise<void> {
    const { phase, question } = this.#state;
    if (phase === 'closed') return;
    const kind = KIND_OF_PHASE[phase] ?? 'resumed';
    if (this.#last?.kind === kind) await this.#deliver(this.#last);
    else await this.report(kind, question ? { reason: question } : {});
  }

  async #deliver(report: IdeaReport): Promise<void> {
    try {
      await getExternalWorkflowHandle(this.parent).signal(messages.reportSignal, report);
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.warn('the autopilot could not be told; it will ask when it is back', { kind: report.kind });
    }
  }
}
