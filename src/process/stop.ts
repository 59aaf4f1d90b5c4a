/**
 * Decides when to stop a run, and why.
 * Invariant: the first reason counts. Once the run has given its result, no timer can turn it into a timeout. Time in
 * which the machine slept or this process stood still never counts as silence. Touches no process itself.
 */
export type StopReason = 'timeout' | 'idle' | 'aborted' | 'result-grace';

/** setTimeout fires at once for anything longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface StopRules {
  timeoutMs: number;
  idleMs?: number;
  signal?: AbortSignal;
}

/** Checks for silent work. */
export interface Probe {
  /** Called during a silence: use from here on counts. */
  begin(): void | Promise<void>;
  /** Asked at its end. True: work continues, and the idle clock starts again. `silentSince` in epoch milliseconds. */
  busy(silentSince: number): boolean | Promise<boolean>;
}

/** Milliseconds. `running` stands still while the machine sleeps, `wall` does not. */
export interface Clock {
  running(): number;
  wall(): number;
}

const CLOCK: Clock = { running: () => performance.now(), wall: () => Date.now() };
/** Wall time that passes without running time: more than a correction of the clock. */
const SLEPT_MS = 10_000;

export class StopWatch {
  reason: StopReason | undefined;
  readonly stopped: Promise<StopReason>;
  #resolve: (reason: StopReason) => void = () => undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  #lastOutput = 0;
  #resultSeen = false;
  #closed = false;
  #waiting = false;
  /** Set once there is something to check. */
  probe: Probe | undefined;

  constructor(
    private readonly rules: StopRules,
    private readonly clock: Clock = CLOCK,
  ) {
    this.stopped = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (rules.signal?.aborted) this.stop('aborted');
    else rules.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.stop('aborted');

  stop(reason: StopReason): void {
    if (this.#closed || this.reason !== undefined) return;
    this.reason = reason;
    this.#clear();
    this.#resolve(reason);
  }

  /** Starts the clocks. */
  start(): void {
    this.#lastOutput = this.clock.running();
    if (this.#closed || this.#resultSeen || this.reason !== undefined) return;
    if (Number.isFinite(this.rules.timeoutMs)) this.#after(this.rules.timeoutMs, () => this.stop('timeout'));
    if (this.rules.idleMs !== undefined && Number.isFinite(this.rules.idleMs)) this.#watchIdle(this.rules.idleMs);
  }

  /** Output came. */
  touch(): void {
    if (!this.#waiting) this.#lastOutput = this.clock.running();
  }

  /** While the run reports that it only waits, its output does not count: some CLIs wait for the network for ever. */
  waiting(on: boolean): void {
    // Called for every event, and there may be millions.
    if (on === this.#waiting) return;
    this.#waiting = on;
    this.touch();
  }

  /** The run has given its result and has `graceMs` to end by itself. Later calls change nothing. */
  resultSeen(graceMs: number): void {
    if (this.#closed || this.#resultSeen || this.reason !== undefined) return;
    this.#resultSeen = true;
    this.#clear();
    this.#after(graceMs, () => this.stop('result-grace'));
  }

  /** The run ended; nothing can stop it any more. */
  close(): void {
    this.#closed = true;
    this.#clear();
    this.rules.signal?.removeEventListener('abort', this.#onAbort);
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        then();
      },
      Math.min(Math.max(0, ms), LONGEST_TIMER_MS),
    );
    this.#timers.add(timer);
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #watchIdle(idleMs: number): void {
    const period = Math.min(Math.max(20, idleMs / 8), 5000);
    let tick = { running: this.clock.running(), wall: this.clock.wall() };
    let begun = -1;
    const next = (): void => {
      if (!this.#closed && !this.#resultSeen && this.reason === undefined) this.#after(period, look);
    };
    const look = (): void => {
      const now = { running: this.clock.running(), wall: this.clock.wall() };
      const passed = now.running - tick.running;
      const slept = now.wall - tick.wall - passed > SLEPT_MS;
      tick = now;
      // The machine slept or this process hung: the silence proves nothing.
      if (slept || passed > period * 4 + 1000) this.#lastOutput = now.running;
      const silent = now.running - this.#lastOutput;
      if (silent >= idleMs) {
        void this.#silent(this.#lastOutput, now.wall - silent).then(next);
        return;
      }
      if (silent >= idleMs / 2 && begun !== this.#lastOutput) {
        begun = this.#lastOutput;
        void Promise.resolve()
          .then(() => this.probe?.begin())
          .catch(() => undefined);
      }
      next();
    };
    next();
  }

  /** No output since `since`: stop, unless silent work continues or output arrived during the check. Never rejects. */
  async #silent(since: number, sinceWall: number): Promise<void> {
    const busy = await Promise.resolve()
      .then(() => this.probe?.busy(sinceWall) ?? false)
      .catch(() => false);
    if (busy) this.#lastOutput = this.clock.running();
    else if (this.#lastOutput === since && !this.#resultSeen) this.stop('idle');
  }
}
