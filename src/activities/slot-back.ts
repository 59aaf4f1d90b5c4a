/**
 * Tells the run that the agent of an idea has ended, before the result of the agent run is there.
 * Invariant: the run has the message before it can hear anything that follows from the result, or it never needs it.
 * A server that does not answer delays the result for a moment and fails nothing.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { AgentEnded, RunAgentInput, RunAgentResult } from '../protocol/agent-run.js';
import { AGENT_ENDED, autopilotId } from '../protocol/names.js';

/** Longer than a busy server takes, and shorter than a person would wait for a gate that could have begun. */
const MOST_MS = 5000;

export class SlotBack {
  readonly #client: WorkflowClient;
  readonly #input: RunAgentInput;
  #told: Promise<void> | undefined;

  constructor(client: WorkflowClient, input: RunAgentInput) {
    this.#client = client;
    this.#input = input;
  }

  readonly give = (): void => {
    const { project, runId, idea, slot } = this.#input;
    if (!slot || this.#told) return;
    const said: AgentEnded = { idea, run: runId, ...slot };
    const run = this.#client.getHandle(autopilotId(project));
    // Without an answer the run may have heard all the same: the idea then counts as one without a slot.
    this.#told = this.#client.withDeadline(Date.now() + MOST_MS, () => run.signal(AGENT_ENDED, said)).catch(() => {});
  };

  async noted(result: RunAgentResult): Promise<RunAgentResult> {
    if (!this.#told) return result;
    await this.#told;
    return { ...result, slotBack: true };
  }
}
