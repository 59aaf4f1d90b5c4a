/**
 * Ends a git that does not end by itself. Where an agent left a named pipe, a git of ralphctl would wait for ever, and
 * no cancellation of its job would reach it.
 * Invariant: a git that only reads ends within its limit. Once its job is cancelled, every git ends, a little later:
 * what follows a cancellation (saving the work of the agent) has to run, too. Must not start git.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { pipesForGit, type RawGit, removePipes, worktreesOf } from './worktree-pipes.js';

/** Milliseconds. Tests shorten them. */
export const GIT_LIMITS = {
  /** A git that runs for longer may wait at a pipe. Each further look waits three times as long. */
  firstLook: 4000,
  /** For a git that only reads. */
  read: 10 * 60_000,
  /** After the cancellation of its job, or after its start if that is later. */
  cancelledRead: 20_000,
  cancelledWrite: 2 * 60_000,
};

/** These wait for another machine, and may; the job that runs them ends them. */
const REMOTE = new Set(['fetch', 'push', 'clone', 'ls-remote', 'pull', 'submodule']);

const jobs = new AsyncLocalStorage<AbortSignal>();

/** Every git that `work` starts ends once `signal` aborts. */
export const withCancellation = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => jobs.run(signal, work);

export interface Watched {
  dir: string;
  args: readonly string[];
  read: boolean;
  /** Runs hooks, which may take long and must not run twice. */
  hooks: boolean;
}

/** Why a git was ended. */
export class GitEnded extends Error {
  override name = 'GitEnded';
}

/** Thrown by {@link watched}: pipes were in the way and are gone, so the command can run again. */
export class PipesRemoved extends Error {
  override name = 'PipesRemoved';
}

/**
 * Runs `start`, whose signal ends the command. `raw` runs git that is not watched.
 * @throws GitEnded when it was ended; PipesRemoved when it should run again
 */
export async function watched<T>(
  command: Watched,
  raw: RawGit,
  start: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const watch = new Watch(command, raw, ending);
  try {
    return await start(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    watch.close();
  }
  return watch.afterEnd();
}

class Watch {
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #job = jobs.getStore();
  #pipes: { worktree: string; paths: string[] }[] = [];
  #closed = false;

  constructor(
    private readonly command: Watched,
    private readonly raw: RawGit,
    private readonly ending: AbortController,
  ) {
    const remote = REMOTE.has(command.args[0] ?? '');
    if (!remote && !command.hooks) this.#lookIn(GIT_LIMITS.firstLook);
    if (command.read && !remote) this.#endIn(GIT_LIMITS.read, 'did not end');
    if (this.#job?.aborted) this.#cancelled();
    else this.#job?.addEventListener('abort', this.#cancelled, { once: true });
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#job?.removeEventListener('abort', this.#cancelled);
  }

  /** The command is gone. */
  async afterEnd(): Promise<never> {
    for (const { worktree, paths } of this.#pipes) await removePipes(worktree, paths, this.raw);
    throw this.#pipes.length > 0 ? new PipesRemoved() : this.ending.signal.reason;
  }

  readonly #cancelled = (): void => {
    const { cancelledRead, cancelledWrite } = GIT_LIMITS;
    this.#endIn(this.command.read ? cancelledRead : cancelledWrite, 'did not end after its work was cancelled');
  };

  #lookIn(ms: number): void {
    this.#after(ms, () => {
      void this.#look().then(
        () => this.#lookIn(ms * 3),
        () => this.#lookIn(ms * 3),
      );
    });
  }

  async #look(): Promise<void> {
    const { dir, args } = this.command;
    for (const worktree of new Set(worktreesOf(dir, args))) {
      const paths = await pipesForGit(worktree, this.raw);
      if (paths.length > 0 && !this.#closed) this.#pipes.push({ worktree, paths });
    }
    if (this.#pipes.length > 0) this.ending.abort(new PipesRemoved());
  }

  #endIn(ms: number, what: string): void {
    const { dir, args } = this.command;
    const name = `git ${args[0] ?? ''}`;
    const seconds = `${Math.round(ms / 1000)} s`;
    const text = `${name} in ${dir} ${what} within ${seconds}, so ralphctl ended it. Look at the disk, the filters and the named pipes of that folder: find '${dir}' -type p`;
    this.#after(ms, () => this.ending.abort(new GitEnded(text)));
  }

  #after(ms: number, does: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      does();
    }, ms);
    // The command itself keeps this process alive.
    timer.unref();
    this.#timers.add(timer);
  }
}
