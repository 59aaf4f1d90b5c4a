/**
 * Open children that an earlier run of the workflow started: they report by signal only. This run asks the server about
 * a child that ended without a report.
 */
import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import type { Autopilot } from '../../decide/run/autopilot.js';
import { answerIn } from '../../protocol/command.js';
import type { IdeaResult } from '../../protocol/idea-run.js';
import type { AutopilotInput, IdeaEntry } from '../../protocol/run.js';
import * as messages from '../messages.js';
import { activityProblem, mainActivities } from '../proxies.js';

const RECONCILE_EVERY = '15 minutes';

/** Undefined for an adopted child that has not sent its generation yet. */
export function generationOf(pilot: Autopilot, idea: string): number | undefined {
  const life = pilot.graph.entry(idea)?.life;
  return life !== undefined && life >= 0 ? life : undefined;
}

const strangersOf = ({ state }: Autopilot): string[] => state.strangers?.map(({ idea }) => idea) ?? [];

/** What a person said between two runs, as the open idea takes it. An answer is one to the question that it still asks. */
export function saidBetween(entry: IdeaEntry, notes: readonly string[]): { signal: string; text: string }[] {
  // Of several the first one counts; a later question has nothing to do with any of them.
  let asks = entry.leftAsking === true;
  delete entry.leftAsking;
  return notes.map((note) => {
    const answer = asks ? answerIn(note)?.answer : undefined;
    if (answer === undefined) return { signal: messages.hintSignal.name, text: note };
    asks = false;
    return { signal: messages.answerSignal.name, text: answer };
  });
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
        await condition(() => this.#ideas.size > 0 || strangersOf(pilot).length > 0);
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
    const strangers = new Set(strangersOf(pilot));
    for (const idea of strangers) this.#ideas.add(idea);
    for (const idea of this.#ideas) if (!pilot.isOpen(idea) && !strangers.has(idea)) this.#ideas.delete(idea);
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
