/**
 * The two real workflows on the shared server, with activities that keep their books in memory, so that sixty ideas take
 * seconds. What is counted here (starts, agents at once, landings) is what the tests look at.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { makeTelemetryFilterString, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.js';
import type { WorkName, WorkResult } from '../../src/jobs/job.js';
import type { CarriedOver, PrepareInput } from '../../src/protocol/activities.js';
import type { RunAgentInput, RunAgentResult } from '../../src/protocol/agent-run.js';
import type { RunEvent } from '../../src/protocol/events.js';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import type { IdeaCard } from '../../src/protocol/idea.js';
import { AUTOPILOT_WORKFLOW, agentsQueue, autopilotId, gitQueue, mainQueue } from '../../src/protocol/names.js';
import type { AutopilotInput, RunSummary } from '../../src/protocol/run.js';
import type { RunSettings } from '../../src/protocol/run-settings.js';
import type { PlanWaveInput, PlanWaveResult } from '../../src/protocol/waves.js';
import { dataConverter } from '../../src/server/codec.js';
import { createWorkers } from '../../src/worker/workers.js';
import { until } from '../support/program.js';

const HOST = 'testhost';

/** Ends of activities are logged as warnings, and here many end badly on purpose. */
const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn() {}, error: console.error };
/** The workflows as built, as every worker runs them. */
const workflowBundle = { codePath: fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url)) };

/** Cards of ideas without dependencies. */
export const cardsOf = (...ids: string[]): IdeaCard[] => ids.map((id) => ({ id, title: `Do ${id}` }));

export const settings = (more: Partial<RunSettings> = {}): RunSettings => ({
  slots: 6,
  stepDelayMs: 0,
  weights: { unblocks: 10, critical: 50, quickWin: 30, nearComplete: 20, retry: -15 },
  gateWhen: 'claim',
  maxLandingRounds: 2,
  errorThreshold: 0,
  errorStrategy: 'retry',
  maxRetries: 2,
  retryBaseMs: 10,
  maxRateLimitRetries: 3,
  rateLimitBackoffMs: 10,
  rateLimitFactor: 2,
  ...more,
});

export interface WorldOptions {
  cards: IdeaCard[];
  /** Most agents at once on this host; 50 when absent. */
  capacity?: number;
  /** Most iterations of an idea; 20 when absent. */
  maxIterations?: number;
  /** What an agent run does; `'complete'` when absent. May wait, with the signal of the activity. */
  agent?: (input: RunAgentInput, signal: AbortSignal) => Promise<'progress' | 'complete' | 'failed' | 'asks'>;
  /** What a landing does before it is booked; an answer is the result instead. */
  land?: (input: LandInput, signal: AbortSignal) => Promise<LandResult | undefined>;
  /** What a wave takes; nothing when absent. */
  plan?: (input: PlanWaveInput, signal: AbortSignal) => Promise<IdeaCard[]>;
}

export class World {
  readonly project = `roll-${randomUUID().slice(0, 8)}`;
  /** Preparations that were no reopening, by idea. */
  readonly prepared = new Map<string, number>();
  /** Landings that were carried out, in order. */
  readonly landed: string[] = [];
  /** Agent runs that ended well, by idea: the iterations. */
  readonly iterations = new Map<string, number[]>();
  /** Ideas whose agent is at work, with the slot's name. */
  readonly working = new Map<string, string>();
  readonly wrongs: string[] = [];
  /** Events of the run and its ideas. */
  readonly told: RunEvent[] = [];
  most = 0;
  /** Told between two runs. */
  carried: CarriedOver | undefined;

  private constructor(
    readonly client: Client,
    private readonly options: WorldOptions,
    private readonly connections: { native: NativeConnection; plain: Connection },
  ) {}

  get workers(): readonly Worker[] {
    return this.#workers;
  }

  #workers: Worker[] = [];
  #running: Promise<unknown> = Promise.resolve();

  static async open(address: string, options: WorldOptions): Promise<World> {
    const [native, plain] = await Promise.all([NativeConnection.connect({ address }), Connection.connect({ address })]);
    const world = new World(new Client({ connection: plain, dataConverter }), options, { native, plain });
    await world.#work();
    return world;
  }

  async #work(): Promise<void> {
    // The real activities, with work that is done here instead of with git and agents.
    const deps = { root: '/nonexistent', host: HOST, env: {}, client: this.client.workflow };
    this.#workers = await createWorkers({
      connection: this.connections.native,
      namespace: 'default',
      project: this.project,
      host: HOST,
      workflows: { workflowBundle },
      activities: createActivities(deps, (name, input, { signal }) => this.#do(name, input, signal)),
      sinks: { ralph: { event: { fn: (_info, _ref, event) => void this.told.push(event) } } },
      // More than the slots: the limit under test is the autopilot's.
      capacity: { agents: this.options.capacity ?? 50, git: 8 },
      graceMs: 100,
    });
    this.#running = Promise.all(this.#workers.map((worker) => worker.run()));
  }

  async #do<Name extends WorkName>(name: Name, input: unknown, signal: AbortSignal): Promise<WorkResult<Name>> {
    const work: { [N in WorkName]: () => WorkResult<N> | Promise<WorkResult<N>> } = {
      cleanUp: () => undefined,
      openRun: () => ({
        agentsQueue: agentsQueue(this.project, HOST),
        gitQueue: gitQueue(this.project, HOST),
        target: 'main',
        cards: this.options.cards,
        landed: [...this.landed],
        carried: this.carried,
      }),
      claimItem: () => ({ kind: 'ok' }),
      tellTracker: () => ({ kind: 'ok' }),
      planWave: () => this.#planWave(input as PlanWaveInput, signal),
      runConfig: () => {
        throw new Error('no configuration is read in this world');
      },
      closeRun: () => undefined,
      deliverAlert: () => ({ outcome: 'delivered', to: 'nobody' }),
      lookAtPull: () => ({ kind: 'open' }),
      pushTarget: () => ({ kind: 'pushed', commit: 'c0ffee', commits: 0, ideas: [] }),
      prepareIdea: () => this.#prepare(input as PrepareInput),
      runGate: () => ({ pass: true, commands: [], durationMs: 1 }),
      landIdea: () => this.#land(input as LandInput, signal),
      rollbackIdea: () => ({ commits: 0 }),
      stashIdea: () => ({}),
      undoIdea: () => ({ kind: 'nothing' }),
      cleanupIdea: () => ({ removed: true }),
      runAgent: () => this.#agent(input as RunAgentInput, signal),
    };
    return work[name]();
  }

  /** Ends the workers of the host's queues; workflows go on. */
  async leaveHost(): Promise<void> {
    for (const worker of this.#workers.filter(({ options }) => options.taskQueue.includes('@'))) {
      worker.shutdown();
      await until('the worker to end', () => Promise.resolve(worker.getState() === 'STOPPED'));
    }
  }

  /** Workers for all queues again. */
  async comeBack(): Promise<void> {
    for (const worker of this.#workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await this.#running;
    await this.#work();
  }

  async close(): Promise<void> {
    for await (const { workflowId, status } of this.client.workflow.list({
      query: `RalphProject = '${this.project}'`,
    })) {
      if (status.name !== 'RUNNING') continue;
      await this.client.workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => {});
    }
    for (const worker of this.#workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await this.#running;
    await this.connections.native.close();
    await this.connections.plain.close();
  }

  async start(more: Partial<AutopilotInput> = {}): Promise<void> {
    const input: AutopilotInput = { project: this.project, runId: 'run-1', settings: settings(), ...more };
    await this.client.workflow.start(AUTOPILOT_WORKFLOW, {
      workflowId: autopilotId(this.project),
      taskQueue: mainQueue(this.project),
      args: [input],
      searchAttributes: { RalphProject: [this.project] },
    });
  }

  get autopilot() {
    return this.client.workflow.getHandle(autopilotId(this.project));
  }

  result(): Promise<RunSummary> {
    return this.autopilot.result() as Promise<RunSummary>;
  }

  /** All executions of the project, continued ones too, once visibility shows none of them running. */
  executions(): Promise<WorkflowExecutionInfo[]> {
    return until('every workflow of the project to be closed', async () => {
      const all: WorkflowExecutionInfo[] = [];
      for await (const info of this.client.workflow.list({ query: `RalphProject = '${this.project}'` })) all.push(info);
      return all.length > 0 && all.every(({ status }) => status.name !== 'RUNNING') && all;
    });
  }

  async #planWave(input: PlanWaveInput, signal: AbortSignal): Promise<PlanWaveResult> {
    const cards = (await this.options.plan?.(input, signal)) ?? [];
    const taken = cards.map(({ id: idea }) => ({ idea, tier: 'T1' as const, score: 1 }));
    return { kind: 'planned', cards, taken, open: cards.length, left: 0, rejected: 0, fresh: [], leftOut: 0 };
  }

  #prepare(input: PrepareInput) {
    if (!input.reopen) this.prepared.set(input.idea, (this.prepared.get(input.idea) ?? 0) + 1);
    return {
      worktree: `/nonexistent/${input.agentName}-${input.idea}`,
      branch: `ralph/${input.idea}`,
      base: 'base',
      origin: 'created' as const,
      limits: {
        maxIterations: this.options.maxIterations ?? 20,
        ...{ timeoutMs: 3_600_000, iterationTimeoutMs: 600_000, loop: true, allowEmpty: false },
      },
    };
  }

  async #agent(input: RunAgentInput, signal: AbortSignal): Promise<RunAgentResult> {
    const { idea, agentName, iteration } = input;
    const clash = [...this.working].find(([other, name]) => other === idea || name === agentName);
    if (clash) this.wrongs.push(`${idea} by ${agentName} began while ${clash.join(' by ')} was at work`);
    this.working.set(idea, agentName);
    this.most = Math.max(this.most, this.working.size);
    try {
      const end = (await this.options.agent?.(input, signal)) ?? 'complete';
      if (end !== 'failed') this.iterations.set(idea, [...(this.iterations.get(idea) ?? []), iteration]);
      return {
        outcome: end === 'failed' ? { kind: 'failed', failure: 'transient', message: 'try again' } : { kind: 'ok' },
        signal:
          end === 'complete'
            ? { kind: 'complete' }
            : end === 'asks'
              ? { kind: 'needs-human', question: 'Which?' }
              : end === 'progress'
                ? { kind: 'progress', percent: 50 }
                : { kind: 'none' },
        durationMs: 1,
        exitCode: 0,
        head: `head-${idea}-${iteration}`,
        commits: 1,
        changed: true,
        tail: '',
        dir: `/nonexistent/${Context.current().info.activityId}`,
      };
    } finally {
      this.working.delete(idea);
    }
  }

  async #land(input: LandInput, signal: AbortSignal): Promise<LandResult> {
    const instead = await this.options.land?.(input, signal);
    if (instead) return instead;
    // Like the real landing: what has landed is found, and not done again.
    if (!this.landed.includes(input.idea)) this.landed.push(input.idea);
    return { kind: 'landed', commit: `commit-${input.idea}`, commits: 1, durationMs: 1 };
  }
}

let isQuiet = false;

/** Called before anything connects; files share a process. */
export function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
  Runtime.install({ logger: quiet, shutdownSignals: [], telemetryOptions: { logging: { forward: {}, filter } } });
}
