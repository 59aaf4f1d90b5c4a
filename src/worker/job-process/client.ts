/**
 * The worker's side of the job process: starts it, sends it work, and reports work as lost when it dies.
 * Invariant: reports work of a dead job process as lost, never as done; the next attempt finds its marks. Ends a
 * stopped or hanging job process as if it were dead, because the worker's heartbeats would otherwise hide it for hours.
 */
import { type ChildProcess, fork } from 'node:child_process';

import { type DoWork, type FailureType, type WorkContext, WorkError, type WorkName } from '../../jobs/job.js';
import { programFile } from '../../process/program-file.js';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import { FAILURE } from '../../protocol/failures.js';

interface Pending {
  say: WorkContext['say'];
  ended: WorkContext['ended'];
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

export interface JobProcessOptions {
  root: string;
  project: string;
  host: string;
  /** For the log: what it does on its own. */
  onNote?: (note: string, about: Record<string, unknown>) => void;
  /** Called when the job process ends unexpectedly. */
  onLost: (why: string) => void;
  /** Maximum silence while it has work, milliseconds. Default one minute. */
  silentMs?: number;
  /** Its program file. Default: the one of this build. */
  program?: string;
}

const SILENT_MS = 60_000;

export class JobProcess {
  readonly #options: JobProcessOptions;
  #child: ChildProcess | undefined;
  #pending = new Map<number, Pending>();
  #next = 1;
  #closed = false;
  #heard = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: JobProcessOptions) {
    this.#options = options;
    this.#start();
  }

  readonly doWork: DoWork = (name, input, { signal, taskToken, say, ended }) =>
    new Promise((resolve, reject) => {
      const child = this.#child ?? this.#start();
      const id = this.#next++;
      const abort = (): void => this.#tell(child, { do: 'abort', id });
      const done = (): void => signal.removeEventListener('abort', abort);
      this.#pending.set(id, {
        say,
        ended,
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.#tell(child, { do: 'work', id, name, input, taskToken });
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });

  /** Of the present job process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends the job process and all its children. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    const child = this.#child;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.connected) child.disconnect();
    await gone;
  }

  #start(): ChildProcess {
    const child = fork(this.#options.program ?? programFile('launcher.js'), [], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    this.#child = child;
    this.#watchOver(child);
    child.on('message', (message: FromJobProcess) => this.#settle(message));
    child.once('error', (error) => this.#lost(child, error.message));
    child.once('exit', (code, name) => this.#lost(child, `exit ${code ?? name}`));
    const { root, project, host } = this.#options;
    this.#tell(child, { do: 'init', root, project, host });
    return child;
  }

  #watchOver(child: ChildProcess): void {
    clearInterval(this.#watch);
    const silentMs = this.#options.silentMs ?? SILENT_MS;
    const period = silentMs / 8;
    let looked = performance.now();
    this.#heard = looked;
    this.#watch = setInterval(() => {
      const now = performance.now();
      // A halt stopped this process itself, or the job process has no work.
      if (now - looked > period * 4 || this.#pending.size === 0) this.#heard = now;
      looked = now;
      if (now - this.#heard > silentMs) child.kill('SIGKILL');
      else this.#tell(child, { do: 'ping' });
    }, period);
    this.#watch.unref();
  }

  #tell(child: ChildProcess, message: ToJobProcess): void {
    // The exit event reports a closing channel.
    if (child.connected) child.send(message, () => undefined);
  }

  #settle(message: FromJobProcess): void {
    this.#heard = performance.now();
    if ('pong' in message) return;
    if ('note' in message) {
      this.#options.onNote?.(message.note, message.about);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if ('progress' in message) {
      pending.say?.(message.progress);
      return;
    }
    if ('ended' in message) {
      pending.ended?.();
      return;
    }
    this.#pending.delete(message.id);
    if (message.ok) pending.resolve(message.result as never);
    else if (message.type) pending.reject(new WorkError(message.message, message.type, message.retryable));
    else pending.reject(Object.assign(new Error(message.message), message.stack ? { stack: message.stack } : {}));
  }

  #lost(child: ChildProcess, why: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    const pending = [...this.#pending.values()];
    this.#pending = new Map();
    for (const one of pending) one.reject(new WorkError(`the job process ended (${why})`, FAILURE.workerLost, true));
    if (!this.#closed) this.#options.onLost(why);
  }
}

/* The messages between worker and job process: plain JSON over Node's channel between parent and child. */

export type ToJobProcess =
  | { do: 'init'; root: string; project: string; host: string }
  | { do: 'work'; id: number; name: WorkName; input: unknown; taskToken: string }
  | { do: 'abort'; id: number }
  | { do: 'ping' };

export type FromJobProcess =
  | { pong: true }
  | { note: string; about: Record<string, unknown> }
  | { id: number; progress: AgentHeartbeat }
  | { id: number; ended: true }
  | { id: number; ok: true; result: unknown }
  | { id: number; ok: false; message: string; stack?: string; type?: FailureType; retryable?: boolean };
