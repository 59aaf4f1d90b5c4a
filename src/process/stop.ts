/**
 * Decides when a run must be stopped, and why.
 * Invariant: the first reason stands; once the run has given its result, no timer can turn it into a timeout.
 * Touches no process itself.
 */
export type StopReason = 'timeout' | 'idle' | 'aborted' | 'result-grace';

/** setTimeout fires at once for anything longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface StopRules {
  timeoutMs: number;
  idleMs?: number;
  /** Asked before an idle stop; true means that work goes on without output, and the idle clock starts again. */
  stillBusy?: () => boolean | Promise<boolean>;
  signal?: AbortSignal;
}

export class StopWatch {
  reason: StopReason | undefined;
  readonly stopped: Promise<StopReason>;
  #resolve: (reason: StopReason) => void = () => undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  #lastOutput = 0;
  #resultSeen = false;
  #closed = false;

  constructor(private readonly rules: StopRules) {
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
    this.#lastOutput = performance.now();
    if (this.#closed || this.#resultSeen || this.reason !== undefined) return;
    if (Number.isFinite(this.rules.timeoutMs)) this.#after(this.rules.timeoutMs, () => this.stop('timeout'));
    if (this.rules.idleMs !== undefined && Number.isFinite(this.rules.idleMs)) this.#watchIdle(this.rules.idleMs);
  }

  /** Output came. */
  touch(): void {
    this.#lastOutput = performance.now();
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
    let lastTick = performance.now();
    const next = (): void => {
      if (!this.#closed && !this.#resultSeen && this.reason === undefined) this.#after(period, tick);
    };
    const tick = (): void => {
      const now = performance.now();
      // The machine slept or this process hung: the silence says nothing about the run.
      if (now - lastTick > period * 4 + 1000) this.#lastOutput = now;
      lastTick = now;
      if (now - this.#lastOutput < idleMs) next();
      else void this.#silent(this.#lastOutput).then(next);
    };
    next();
  }

  /** Nothing came since `since`: stop, unless work goes on unseen or output came while that was asked. Never rejects. */
  async #silent(since: number): Promise<void> {
    const busy = await Promise.resolve()
      .then(() => this.rules.stillBusy?.() ?? false)
      .catch(() => false);
    if (busy) this.touch();
    else if (this.#lastOutput === since && !this.#resultSeen) this.stop('idle');
  }
}
