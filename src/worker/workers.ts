/**
 * The three Temporal workers of a project in one process: workflows with light activities, agent runs, and git work.
 * Invariant: each queue has its own slots, so that a gate never waits behind agents nor a landing behind gates. Queues
 * under other host names, of runs that an older version opened here, get separate workers.
 */
import { type InjectedSinks, type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import { agentsQueue, gitQueue, mainQueue } from '../protocol/names.js';
import { dataConverter } from '../server/codec.js';
import type { ProjectPayloads } from '../server/payloads/project.js';
import type { EventSinks } from '../workflows/publish.js';
import { sealFailures } from './seal-failures.js';

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  project: string;
  host: string;
  /** Other host names whose queues hold open runs of this machine. */
  otherHosts?: readonly string[];
  /** The prebuilt bundle (`codePath`) in production, or sources in tests. */
  workflows: { workflowBundle: { codePath: string } | { code: string } };
  activities: { main: MainActivities; git: GitActivities; agents: AgentActivities };
  sinks: InjectedSinks<EventSinks>;
  /** Maximum number of concurrent agents and git jobs on this host. The autopilot's slots set the real limit. */
  capacity: { agents: number; git: number };
  graceMs: number;
  /** Of the project; without it, nothing is encrypted. */
  payloads?: Pick<ProjectPayloads, 'dataConverter' | 'isOn'>;
}

/**
 * Replaces the SDK's 5 s. Interrupting a workflow step crashes the whole process ("async hook stack has become
 * corrupted"), and on a busy or stopped machine a step of 100 ms can take that long. The SDK reads this option without
 * documenting it.
 */
const PATIENT: object = { isolateExecutionTimeout: '5 minutes' };

export async function createWorkers(options: WorkersOptions): Promise<Worker[]> {
  const { connection, namespace, project, host, activities, capacity, graceMs, payloads } = options;
  const common = {
    connection,
    namespace,
    identity: `${process.pid}@${host}`,
    dataConverter: payloads?.dataConverter ?? dataConverter,
    ...(payloads ? { interceptors: { activity: [() => ({ inbound: sealFailures(payloads) })] } } : {}),
    shutdownGraceTime: graceMs,
    shutdownForceTime: graceMs + 30_000,
    // A stop reaches an agent with the next heartbeat. The default of 80 % of the timeout would take 16 s.
    maxHeartbeatThrottleInterval: '3s',
    defaultHeartbeatThrottleInterval: '3s',
  } satisfies WorkerOptions | Record<string, unknown>;
  return Promise.all([
    Worker.create({
      ...common,
      ...options.workflows,
      taskQueue: mainQueue(project),
      activities: { ...activities.main },
      sinks: options.sinks,
      maxConcurrentActivityTaskExecutions: 8,
      maxConcurrentWorkflowTaskExecutions: 40,
      ...PATIENT,
      maxCachedWorkflows: 400,
      // A shorter value hurts: on a busy machine a task that waits longer loses its cached workflow. With a
      // hundred slots the replays of long histories then keep the machine busy. `recovery.ts` covers a lost worker.
      stickyQueueScheduleToStartTimeout: '5s',
    }),
    ...[host, ...(options.otherHosts ?? [])].flatMap((name) => [
      Worker.create({
        ...common,
        taskQueue: agentsQueue(project, name),
        activities: { ...activities.agents },
        maxConcurrentActivityTaskExecutions: capacity.agents,
      }),
      Worker.create({
        ...common,
        taskQueue: gitQueue(project, name),
        activities: { ...activities.git },
        maxConcurrentActivityTaskExecutions: capacity.git,
      }),
    ]),
  ]);
}
