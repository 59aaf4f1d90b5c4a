/**
 * The worker's side of the launcher: starts it, hands work over, brings it back when it died.
 * Invariant: work that a dead launcher had is reported as lost, never as done; the next attempt finds its marks.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { programFile } from '../process/program-file.js';
import { FAILURE } from '../protocol/failures.js';
import type { DoWork } from '../work/index.js';
import { WorkError } from '../work/work-error.js';
import type { FromLauncher, ToLauncher } from './messages.js';

interface Pending {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

export interface LauncherOptions {
  root: string;
  host: string;
  /** Told when the launcher ended unasked. */
  onLost: (why: string) => void;
}

export class Launcher {
  readonly #options: LauncherOptions;
  #child: ChildProcess | undefined;
  #pending = new Map<number, Pending>();
  #next = 1;
  #closed = false;

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#start();
  }

  readonly doWork: DoWork = (name, input, { signal, taskToken }) =>
    new Promise((resolve, reject) => {
      const child = this.#child ?? this.#start();
      const id = this.#next++;
      const abort = (): void => this.#tell(child, { do: 'abort', id });
      const done = (): void => signal.removeEventListener('abort', abort);
      this.#pending.set(id, {
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

  /** Ends the launcher and whatever it runs. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.connected) child.disconnect();
    await gone;
  }

  #start(): ChildProcess {
    const child = fork(programFile('launcher.js'), [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    this.#child = child;
    child.on('message', (message: FromLauncher) => this.#settle(message));
    child.once('error', (error) => this.#lost(child, error.message));
    child.once('exit', (code, name) => this.#lost(child, `exit ${code ?? name}`));
    this.#tell(child, { do: 'init', root: this.#options.root, host: this.#options.host });
    return child;
  }

  #tell(child: ChildProcess, message: ToLauncher): void {
    // A channel that is closing is noticed by the exit event.
    if (child.connected) child.send(message, () => undefined);
  }

  #settle(message: FromLauncher): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return;
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
    for (const one of pending) one.reject(new WorkError(`the launcher ended (${why})`, FAILURE.workerLost, true));
    if (!this.#closed) this.#options.onLost(why);
  }
}
