/**
 * Open children that an earlier run of the workflow started: they report by signal only. This run asks the server about
 * a child that ended without a report.
 */
import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import type { Autopilot } from '../../decide/run/autopilot.js';
import type { IdeaResult } from '../../protocol/idea-run.js';
import type { AutopilotInput } from '../../protocol/run.js';
import { activityProblem, mainActivities } from '../proxies.js';

const RECONCILE_EVERY = '15 minutes';

/** Undefined for an adopted child that has not sent its generation yet. */
export function generationOf(pilot: Autopilot, idea: string): number | undefined {
  const life = pilot.graph.entry(idea)?.life;
  return life !== undefined && life >= 0 ? life : undefined;
}

export class AdoptedChildren {
  readonly #input: AutopilotInput;
  readonly #ended: (idea: string, result: IdeaResult, life: number | undefined) => void;
  readonly #ideas = new Set<string>();
  #scope: CancellationScope | undefined;

  constructor(input: AutopilotInput, ended: (idea: string, result: IdeaResult, life: number | undefined) => void) {
    this.#input = input;
    this.#ended = ended;
  }

  add(idea: string): void {
    this.#ideas.add(idea);
  }

  watch(pilot: Autopilot): void {
    const scope = new CancellationScope({ cancellable: true });
    this.#scope = scope;
    const ask = async (): Promise<void> => {
      for (;;) {
        await condition(() => this.#ideas.size > 0);
        await this.#reconcile(pilot);
        await sleep(RECONCILE_EVERY, { summary: 'look for children of earlier runs' });
      }
    };
    scope.run(ask).catch(() => {});
  }

  stop(): void {
    this.#scope?.cancel();
  }

  async #reconcile(pilot: Autopilot): Promise<void> {
    for (const idea of this.#ideas) if (!pilot.isOpen(idea)) this.#ideas.delete(idea);
    if (this.#ideas.size === 0) return;
    const lives = new Map([...this.#ideas].map((idea) => [idea, generationOf(pilot, idea)]));
    const { project, runId } = this.#input;
    try {
      const found = await mainActivities().reconcileIdeas({ project, runId, ideas: [...lives.keys()] });
      for (const { idea, state, result } of found) {
        if (state === 'open') continue;
        const ended = { outcome: 'failed', reason: 'its workflow ended', ...(result as object) } as IdeaResult;
        this.#ended(idea, ended, lives.get(idea));
      }
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      log.warn('the state of children of earlier runs is unknown; the run asks again', { problem });
    }
  }
}
