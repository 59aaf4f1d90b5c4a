/**
 * Hands what a run tells to another workflow of its project: starts that workflow, or sends it a signal where it is open.
 * Invariant: one hand-over at a time, in order. It waits for the server only.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  type SignalDefinition,
  startChild,
} from '@temporalio/workflow';
import type { AutopilotInput } from '../protocol/run.js';
import { RALPH_PROJECT } from './publish.js';

/** The other workflow may end between the two messages that find it open or closed. */
export const MOST_TRIES = 10;

export interface Receiver<Batch> {
  type: string;
  id: string;
  /** For the Web UI. */
  summary: string;
  signal: SignalDefinition<[Batch]>;
}

export class HandOver<Batch> {
  readonly #input: AutopilotInput;
  readonly #receiver: Receiver<Batch>;
  /** Keeps the run from continuing as new meanwhile. */
  readonly #begin: (work: Promise<void>) => void;
  #busy = false;

  constructor(input: AutopilotInput, receiver: Receiver<Batch>, begin: (work: Promise<void>) => void) {
    this.#input = input;
    this.#receiver = receiver;
    this.#begin = begin;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Call it only while nothing is handed over. */
  begin(send: () => Promise<void>): void {
    this.#busy = true;
    this.#begin(
      send().finally(() => {
        this.#busy = false;
      }),
    );
  }

  /** Resolves when the server has everything. */
  whenSent(): Promise<void> {
    return this.#busy ? condition(() => !this.#busy) : Promise.resolve();
  }

  /** False when the server took it neither way. */
  async give(batch: Batch): Promise<boolean> {
    const { project, maxHistory } = this.#input;
    const { type, id, summary } = this.#receiver;
    try {
      await startChild(type, {
        workflowId: id,
        args: [{ project, batch, ...(maxHistory === undefined ? {} : { maxHistory }) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: summary,
        typedSearchAttributes: [{ key: RALPH_PROJECT, value: project }],
      });
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return this.giveIfOpen(batch);
  }

  /** False when the workflow is not open. */
  giveIfOpen(batch: Batch): Promise<boolean> {
    const { id, signal } = this.#receiver;
    return getExternalWorkflowHandle(id)
      .signal(signal, batch)
      .then(
        () => true,
        () => false,
      );
  }
}
