/** The client's side of the autopilot. "No worker", "no run" and "no server" are three different answers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  QueryNotRegisteredError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import type { Intervention, InterventionAnswer } from '../../protocol/command.js';
import { STILL_OPENING } from '../../protocol/failures.js';
import type { IdeaCard } from '../../protocol/idea.js';
import {
  AUTOPILOT_WORKFLOW,
  autopilotId,
  COMMAND,
  ENQUEUE,
  IDEA_STATUS,
  IDEAS,
  ideaWorkflowId,
  mainQueue,
  RUN_FIRST,
  STATUS,
  TELL,
  WARN,
  WHY,
} from '../../protocol/names.js';
import type { AutopilotInput, RunSummary } from '../../protocol/run.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import type { IdeaPage, IdeaPageRequest, IdeaView, RunStatus, WhyView } from '../../protocol/views.js';
import { teller } from '../context.js';
import { isBetweenSteps, isDeadline } from './connection.js';
import { firstValue } from './decoded.js';
import { factsOf, type RunFacts } from './facts.js';
import { notRunning, noWorker } from './no-answer.js';

const QUERY_MS = 4000;
const UPDATE_MS = 15_000;
const BETWEEN_STEPS_MS = 100;
/** Wire value of `temporal.api.enums.v1.TaskQueueType`. */
const WORKFLOW_QUEUE = 1;
/**
 * Replaying the history of a large run takes 3 s of CPU. On a busy machine that takes longer than the default of 10 s,
 * and the replay would start again and again. The server waits this long for a worker that is lost in the middle of a
 * task.
 */
const RUN_TASK_TIMEOUT = '20s';

export class RunApi {
  readonly #client: Client;
  readonly project: string;

  constructor(client: Client, project: string) {
    this.#client = client;
    this.project = project;
  }

  /** Starts the run, or reports that one is already open. */
  async start(input: AutopilotInput, about: { repo: string }): Promise<'started' | 'running'> {
    try {
      await this.#client.workflow.start(AUTOPILOT_WORKFLOW, {
        workflowId: autopilotId(this.project),
        taskQueue: mainQueue(this.project),
        args: [input],
        memo: { runId: input.runId, repo: about.repo },
        priority: { priorityKey: RUN_FIRST },
        workflowTaskTimeout: RUN_TASK_TIMEOUT,
        staticSummary: `ralphctl: backlog of ${about.repo}`.slice(0, 180),
        typedSearchAttributes: [
          { key: defineSearchAttributeKey('RalphProject', SearchAttributeType.KEYWORD), value: this.project },
          { key: defineSearchAttributeKey('RalphState', SearchAttributeType.KEYWORD), value: 'running' },
        ],
      });
      return 'started';
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'running';
      throw error;
    }
  }

  /**
   * The server's record of the run, worker or not. Undefined when there was no run, or its retention is over.
   * `ms`: how long to wait for the server; otherwise as long as the client does.
   */
  facts(ms?: number): Promise<RunFacts | undefined> {
    const ask = () => factsOf(this.#client, this.project);
    return ms === undefined ? ask() : this.#client.withDeadline(Date.now() + ms, ask);
  }

  /** The live view; undefined when no worker answers. */
  status(): Promise<RunStatus | undefined> {
    return this.#query(() => this.#handle().query<RunStatus | undefined>(STATUS));
  }

  /** A page of all ideas. Undefined when no worker answers, or when an older one has no pages. */
  ideas(asked: IdeaPageRequest): Promise<IdeaPage | undefined> {
    return this.#query(() => this.#handle().query<IdeaPage | undefined, [IdeaPageRequest]>(IDEAS, asked));
  }

  why(idea: string): Promise<WhyView | undefined> {
    return this.#query(() => this.#handle().query<WhyView | undefined, [string]>(WHY, idea));
  }

  idea(idea: string): Promise<IdeaView | undefined> {
    const handle = this.#client.workflow.getHandle(ideaWorkflowId(this.project, idea));
    return this.#query(() => handle.query<IdeaView>(IDEA_STATUS));
  }

  /**
   * The last progress that the agent of an idea reported with its heartbeat. Undefined when no agent runs, or before
   * its first report.
   */
  async progress(idea: string): Promise<AgentHeartbeat | undefined> {
    try {
      const { raw } = await this.#client.workflow.getHandle(ideaWorkflowId(this.project, idea)).describe();
      const running = raw.pendingActivities?.find((activity) => activity.activityType?.name === 'runAgent');
      return await firstValue<AgentHeartbeat>(this.#client, running?.heartbeatDetails?.payloads);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  /** Milliseconds since a worker last polled for this project. Infinity: the server knows of none. */
  async idleMs(): Promise<number> {
    const { options } = this.#client;
    const { pollers } = await this.#client.workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: mainQueue(this.project) },
      taskQueueType: WORKFLOW_QUEUE,
    });
    const asked = (pollers ?? []).map((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1000);
    return asked.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - Math.max(...asked));
  }

  /** Waits for the end of the run, across continue-as-new. */
  async result(): Promise<RunSummary> {
    return (await this.#handle().result()) as RunSummary;
  }

  /** `continue`, `stop` or `+N` to the warnings of an idea. */
  async warn(idea: string, said: string): Promise<void> {
    try {
      await this.#client.workflow.getHandle(ideaWorkflowId(this.project, idea)).signal(WARN, said);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      throw notRunning(idea);
    }
  }

  /**
   * Sends an intervention to the run. With a worker, the answer says what happens or why the run refuses. Without one,
   * the answer is undefined and the server queues the intervention: a worker applies it at its start, or refuses it in
   * the run's events. A repeat counts once.
   */
  async tell(command: Intervention, worker: boolean): Promise<string | undefined> {
    const told: Intervention = { id: randomUUID(), by: teller(), ...command };
    if (worker) {
      const send = () => this.#handle().executeUpdate<InterventionAnswer, [Intervention]>(TELL, { args: [told] });
      const answer = await this.#update(send).catch((error: unknown) => {
        if (error instanceof UserError && error.exitCode === EXIT.unreachable) return undefined;
        throw error;
      });
      if (answer) return answer.done;
    }
    await this.#signal(COMMAND, told);
    return undefined;
  }

  enqueue(cards: IdeaCard[]): Promise<number> {
    return this.#update(() => this.#handle().executeUpdate<number, [IdeaCard[]]>(ENQUEUE, { args: [cards] }));
  }

  #handle() {
    return this.#client.workflow.getHandle(autopilotId(this.project));
  }

  async #signal(name: string, command: Intervention): Promise<void> {
    try {
      await this.#handle().signal(name, command);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw noRun();
      throw error;
    }
  }

  async #query<T>(ask: () => Promise<T>): Promise<T | undefined> {
    const end = performance.now() + QUERY_MS;
    for (;;) {
      try {
        return await this.#client.withDeadline(Date.now() + end - performance.now(), ask);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || error instanceof QueryNotRegisteredError) return undefined;
        // A message during continue-as-new makes that step fail. The server repeats it moments later.
        const soonOver = isBetweenSteps(error) && performance.now() + BETWEEN_STEPS_MS < end;
        if (soonOver) await delay(BETWEEN_STEPS_MS);
        else if (isDeadline(error) || isBetweenSteps(error)) return undefined;
        else throw error;
      }
    }
  }

  /** A new run refuses until it has read its files, moments later. */
  async #update<T>(send: () => Promise<T>): Promise<T> {
    const end = Date.now() + UPDATE_MS;
    for (;;) {
      try {
        return await this.#send(send, end);
      } catch (error) {
        const opening = error instanceof UserError && error.message === STILL_OPENING;
        if (!opening || Date.now() + BETWEEN_STEPS_MS > end) throw error;
        await delay(BETWEEN_STEPS_MS);
      }
    }
  }

  async #send<T>(send: () => Promise<T>, deadline: number): Promise<T> {
    try {
      return await this.#client.withDeadline(deadline, send);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw noRun();
      if (error instanceof WorkflowUpdateFailedError) {
        throw new UserError(error.cause?.message ?? error.message, EXIT.refused);
      }
      if (isDeadline(error)) {
        throw noWorker();
      }
      throw error;
    }
  }
}

/** `refused`: why none can start. */
export const noRun = (refused?: string): UserError =>
  new UserError(
    refused === undefined
      ? 'no run is open for this repository. Start one with: ralphctl start'
      : `no run is open for this repository, and none can start: ${refused}`,
    EXIT.noRun,
  );
