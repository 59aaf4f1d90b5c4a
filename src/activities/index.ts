/**
 * All activities of a worker, by queue: heartbeat, cancellation and failure types around the work itself, which is in
 * src/jobs and may run in another process. Imports only its types: the worker would load what its job processes do.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowClient } from '@temporalio/client';
import {
  type DoWork,
  type WorkContext,
  type WorkDeps,
  WorkError,
  type WorkInput,
  type WorkName,
  type WorkResult,
} from '../jobs/job.js';
import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import { keepAlive } from './alive.js';
import { leftOpen, reconcileIdeas } from './children.js';
import { SlotBack } from './slot-back.js';

/** How long a landing waits before it checks the disk space again. */
const DISK_RETRY = '1 minute';

/** An activity that this worker has started. */
export interface Taken {
  /** base64 of its task token. */
  taskToken: string;
  activity: string;
  /** Absent where it is the run's. */
  idea?: string;
}

export interface ActivityDeps extends WorkDeps {
  client: WorkflowClient;
  /** Resolves when the events so far are in their files. Must not reject. */
  flushed?: () => Promise<void>;
  /** Address of the Web UI's pages of workflows. Must not reject. */
  pages?: () => Promise<string | undefined>;
  /**
   * Records the start of an activity for a later worker; returns the function that removes the record. Must not reject.
   */
  note?: (taken: Taken) => Promise<() => Promise<void>>;
}

const nothing = (): Promise<void> => Promise.resolve();

export function createActivities(
  deps: ActivityDeps,
  doWork: DoWork,
): { main: MainActivities; git: GitActivities; agents: AgentActivities } {
  const work =
    <Name extends WorkName>(name: Name, more: Pick<WorkContext, 'ended'> = {}) =>
    (input: WorkInput<Name>): Promise<WorkResult<Name>> =>
      keepAlive(({ signal, say }) => {
        const taskToken = Buffer.from(Context.current().info.taskToken).toString('base64');
        const { idea }: { project: string; idea?: string } = input;
        const taken = { taskToken, activity: name, ...(idea === undefined ? {} : { idea }) };
        const start = (): Promise<WorkResult<Name>> =>
          doWork(name, input, { signal, taskToken, abandoned: () => false, say, ...more });
        const noted = deps.note?.(taken) ?? Promise.resolve(nothing);
        return noted.then((forget) => start().catch(asFailure).finally(forget));
      });
  return {
    main: {
      openRun: async (input) => {
        const opened = await work('openRun')(input);
        // The job has checked the project's name.
        const left = await leftOpen(deps.client, input.project, new Set(opened.landed));
        return left.length > 0 ? { ...opened, leftOpen: left } : opened;
      },
      runConfig: work('runConfig'),
      closeRun: async (input) => {
        // The job reads the events.
        await deps.flushed?.();
        return work('closeRun')(input);
      },
      deliverAlert: async (input) => {
        const pages = await deps.pages?.();
        // The job reads the events.
        await deps.flushed?.();
        return work('deliverAlert')({ ...input, ...(pages === undefined ? {} : { pages }) });
      },
      claimItem: work('claimItem'),
      tellTracker: work('tellTracker'),
      planWave: async (input) => {
        // Tiers are learnt from the events.
        await deps.flushed?.();
        return work('planWave')(input);
      },
      reconcileIdeas: (input) => reconcileIdeas(deps.client, input),
    },
    git: {
      prepareIdea: work('prepareIdea'),
      runGate: work('runGate'),
      landIdea: work('landIdea'),
      rollbackIdea: work('rollbackIdea'),
      stashIdea: work('stashIdea'),
      undoIdea: work('undoIdea'),
      cleanupIdea: work('cleanupIdea'),
      pushTarget: work('pushTarget'),
      lookAtPull: work('lookAtPull'),
    },
    agents: {
      runAgent: async (input) => {
        const slot = new SlotBack(deps.client, input);
        return slot.noted(await work('runAgent', { ended: slot.give })(input));
      },
    },
  };
}

function asFailure(error: unknown): never {
  if (!(error instanceof WorkError)) throw error;
  const { message, type, retryable } = error;
  const failure = { message, type, nonRetryable: !retryable };
  throw ApplicationFailure.create(type === FAILURE.diskFull ? { ...failure, nextRetryDelay: DISK_RETRY } : failure);
}
