/**
 * Watches the server, the run in its database and a worker for an attached `start`. Each may go away.
 * Invariant: it reports when nothing serves the run, and never ends without the command to continue. Neither sleep of
 * the machine nor a restart of the server ends it.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, TerminatedFailure, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { took } from '../../decide/duration.js';
import { many } from '../../protocol/many.js';
import type { RunSummary } from '../../protocol/run.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { lastMovement } from '../../run-files/movement.js';

import { LOSS, readDatabaseNote } from '../../server/database.js';
import { readRecord } from '../../server/files.js';
import { connectTarget } from '../../server/target.js';
import { standstillId, tellNothingMoves } from '../../worker/alert-here.js';
import { workerState } from '../../worker/record.js';
import { type Connected, connect } from '../api/connection.js';
import { RunApi } from '../api/run.js';
import { type Context, say } from '../context.js';

import { ensureWorker } from '../worker-process.js';
import { isOver } from './over.js';

/** A supervisor brings a killed server back within seconds; a busy machine takes longer. */
const SERVER_PATIENCE_MS = 60_000;
const SERVER_SAY_AFTER_MS = 5_000;
const RETRY_MS = 1_000;
const WORKER_CHECK_MS = 3_000;
/** A worker whose supervisor was killed first returns its work, and then starts another supervisor. */
const CHECKS_BEFORE_HELP = 4;
/** A check that comes later than this by the clock means that this process was stopped, or that the machine slept. */
const STOOD_STILL_MS = 10_000;
/** Workers ask for work at least once a minute. */
const IDLE_QUEUE_MS = 120_000;
const QUEUE_CHECK_EVERY = 10;
const FACTS_MS = 2_000;

/** Somebody ended the run outside of ralphctl, or its workflow failed. */
export class RunClosed extends UserError {
  constructor(runId: string, { cause }: WorkflowFailedError) {
    const how = cause instanceof TerminatedFailure ? 'was terminated on the server' : 'ended with an error';
    const said = rootOf(cause)?.message.split('\n')[0];
    const why = said ? ` (${said})` : '';
    super(`run ${runId} ${how}${why}. See: ralphctl report. Start another run with: ralphctl start`, EXIT.noRun);
  }
}

/** What failed in the end: an error of a workflow says only that its activity failed. */
const rootOf = (error: Error | undefined): Error | undefined =>
  error?.cause instanceof Error && error.cause.message ? rootOf(error.cause) : error;

export interface AttachmentOptions {
  project: string;
  runId: string;
  /** False: other hosts serve this project, and this one starts no worker. */
  worker: boolean;
  /** ms; for tests. */
  times?: { check?: number; idle?: number };
}

export class Attachment {
  readonly #context: Context;
  readonly #options: AttachmentOptions;
  readonly #times: { check: number; idle: number };
  #connected: Connected;
  #api: RunApi;

  /** Prints the messages; a screen sets its own function. */
  tell: (text: string) => void = say;

  constructor(context: Context, connected: Connected, options: AttachmentOptions) {
    this.#context = context;
    this.#options = options;
    this.#times = { check: WORKER_CHECK_MS, idle: IDLE_QUEUE_MS, ...options.times };
    this.#connected = connected;
    this.#api = new RunApi(connected.client, options.project);
  }

  /** From the current connection: a server may come back at another address. */
  get api(): RunApi {
    return this.#api;
  }

  close(): Promise<void> {
    return this.#connected.close();
  }

  /**
   * Waits for the end of the run across lost connections.
   * @throws UserError when the server or the run is gone
   */
  async result(signal: AbortSignal): Promise<RunSummary> {
    for (;;) {
      try {
        return await this.#api.result();
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) throw await this.#runGone();
        if (error instanceof WorkflowFailedError) throw new RunClosed(this.#options.runId, error);
        if (!(error instanceof ServiceError) || signal.aborted) throw error;
        await this.#untilServing(signal);
      }
    }
  }

  /** Watches the worker of the run until `signal` aborts. Never rejects. */
  async watchWorker(signal: AbortSignal): Promise<void> {
    let dead = 0;
    let told = false;
    for (let round = 1; await this.#nextCheck(signal); round++) {
      const state = this.#options.worker ? await this.#workerState() : 'alive';
      // A screen stays open after the end. The worker of a run that is over ends by itself, or a person stops it.
      if ((state !== 'alive' || round % QUEUE_CHECK_EVERY === 0) && (await this.#isOver())) {
        dead = 0;
        told = false;
        continue;
      }
      if (state !== 'dead') dead = 0;
      if (state === 'dead' && ++dead >= CHECKS_BEFORE_HELP) {
        dead = 0;
        await this.#bringWorkerBack();
      } else if (state === 'none' && !told) {
        this.#nothingMoves('somebody stopped the worker of this project, so the run is not moving', signal);
        told = true;
      } else if (state === 'alive' && (!told || round % QUEUE_CHECK_EVERY === 0)) {
        if (round % QUEUE_CHECK_EVERY === 0) told = await this.#sayIfNobodyPolls(told, signal);
        else if (this.#options.worker) told = false;
      }
    }
  }

  /** Says how long this process stood still. False when `signal` aborted. */
  async #nextCheck(signal: AbortSignal): Promise<boolean> {
    const before = Date.now();
    if (!(await pause(this.#times.check, signal))) return false;
    const still = Date.now() - before - this.#times.check;
    if (still > STOOD_STILL_MS)
      this.tell(
        `this command stood still for ${took(still)}: it was stopped, or the machine slept. It goes on with the run`,
      );
    return true;
  }

  async #workerState(): Promise<'alive' | 'dead' | 'none'> {
    return workerState(this.#context.root, this.#options.project).catch(() => 'alive' as const);
  }

  #isOver(): Promise<boolean> {
    return isOver(() => this.api.facts(FACTS_MS), this.#context.root, this.#options.project);
  }

  async #bringWorkerBack(): Promise<void> {
    this.tell('the worker of this project was killed; ralphctl starts another one');
    await ensureWorker(this.#context, this.#options.project).catch((error: Error) => this.tell(error.message));
  }

  async #sayIfNobodyPolls(told: boolean, signal: AbortSignal): Promise<boolean> {
    const idle = await this.api.idleMs().catch(() => 0);
    if (idle < this.#times.idle) return false;
    if (told) return true;
    const since = Number.isFinite(idle) ? `for ${many(Math.round(idle / 60_000), 'minute')}` : 'yet';
    const log = `${this.#context.root}/projects/${this.#options.project}/logs`;
    this.#nothingMoves(`no worker has asked for work of this run ${since}, so the run is not moving`, signal, log);
    return true;
  }

  /** Prints the message and alerts the rows of `notify`. Without a worker nothing else can. */
  #nothingMoves(text: string, signal: AbortSignal, log?: string): void {
    this.tell(`${text}. Start one with: ralphctl start${log === undefined ? '' : ` (log: ${log})`}`);
    void this.#alert(text, signal).catch(() => undefined);
  }

  async #alert(text: string, signal: AbortSignal): Promise<void> {
    const { root, env } = this.#context;
    const { project, runId } = this.#options;
    const { at } = await lastMovement(root, { project, runId });
    const still = { id: standstillId(runId, at), text, command: 'ralphctl start' };
    for (const { row, problem } of await tellNothingMoves({ root, env, signal }, { project, runId }, still))
      if (problem !== undefined) this.tell(`the alert to ${row} could not be delivered: ${problem}`);
  }

  async #untilServing(signal: AbortSignal): Promise<void> {
    const began = performance.now();
    let told = false;
    for (;;) {
      await this.#reconnect();
      if (await this.#answers()) {
        if (told) this.tell('the Temporal server answers again');
        return;
      }
      const waited = performance.now() - began;
      if (waited > SERVER_PATIENCE_MS) throw this.#unreachable();
      if (!told && waited > SERVER_SAY_AFTER_MS) {
        this.tell(`${this.#connected.target.description} does not answer; waiting for it`);
        told = true;
      }
      if (!(await pause(RETRY_MS, signal))) return;
    }
  }

  #answers(): Promise<boolean> {
    return this.#api.facts().then(
      () => true,
      () => false,
    );
  }

  /** @throws UserError when the embedded server was stopped on purpose: that removes its record */
  async #reconnect(): Promise<void> {
    const { target } = this.#connected;
    if (target.kind === 'external') return;
    if (!(await readRecord(this.#context.root))) {
      throw new UserError(
        `the Temporal server was stopped. Run ${this.#options.runId} stays in its database. Continue with: ralphctl start`,
        EXIT.unreachable,
      );
    }
    const now = await connectTarget(this.#context, { start: false });
    if (now.address === target.address) return;
    const next = await connect(this.#context, { start: false, project: this.#options.project }).catch(() => undefined);
    if (!next) return;
    await this.#connected.close().catch(() => undefined);
    this.#connected = next;
    this.#api = new RunApi(next.client, this.#options.project);
  }

  #unreachable(): UserError {
    const { description } = this.#connected.target;
    return new UserError(
      `${description} has not answered for ${SERVER_PATIENCE_MS / 1000} s. The run stays in its database. See: ralphctl server status. Continue with: ralphctl start`,
      EXIT.unreachable,
    );
  }

  async #runGone(): Promise<UserError> {
    const lost = (await readDatabaseNote(this.#context.root).catch(() => undefined))?.lost;
    const why = lost ? `: ${lost.why}. ${LOSS}` : '. Start another run with: ralphctl start';
    return new UserError(`run ${this.#options.runId} is no longer in the database of the server${why}`, EXIT.noRun);
  }
}

/** False when `signal` aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => delay(ms, true, { signal }).catch(() => false);
