/**
 * Detects beside the worker when nothing moves in the open run, and alerts the rows of `nothing-moves`. Causes include
 * a crashed or hanging worker, an unreachable server, hanging agents, and a run in which everything waits.
 * Invariant: only one process alerts about a standstill. Time in which the machine slept does not count. Never throws,
 * and never loads the Temporal SDK.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runDir, worktreesDir } from '../config/paths.js';
import { type Still, stillness } from '../decide/alerts/still.js';
import { changedSince } from '../process/signs-of-life.js';
import type { RunRef } from '../protocol/run-ref.js';
import { lastMovement, wroteSince } from '../run-files/movement.js';
import { listRuns, loadNewest } from '../run-files/run.js';
import { standstillId, type Told, tellNothingMoves } from './alert-here.js';

const LONGEST_LOOK_MS = 20_000;
const SHORTEST_LOOK_MS = 250;
/** Retries a failed delivery with growing intervals. */
const FIRST_AGAIN_MS = 10_000;
const LAST_AGAIN_MS = 10 * 60_000;
const MOST_TRIES = 24;

export interface StillOptions {
  root: string;
  project: string;
  env: NodeJS.ProcessEnv;
  /** Number of times that the worker has reported a working connection to the server. */
  asked: () => number;
  /** The reason why the worker may not report that. `stopped`: a person stopped the server. */
  why: () => string | 'stopped' | undefined;
  onTold: (still: Still, told: readonly Told[]) => void;
}

/** Watches until `signal` aborts. */
export async function watchStill(options: StillOptions, signal: AbortSignal): Promise<void> {
  const watch = new StillWatch(options, signal);
  for (let wait = SHORTEST_LOOK_MS; await pause(wait, signal); ) wait = await watch.look().catch(() => LONGEST_LOOK_MS);
}

class StillWatch {
  readonly #options: StillOptions;
  readonly #signal: AbortSignal;
  /** Time counts from here: the start of this process, or the last time that the machine woke up. */
  #begun = Date.now();
  #looked = Date.now();
  #wait = SHORTEST_LOOK_MS;
  #asked = 0;
  #askedAt = Date.now();
  #worktreesAt = 0;
  /** Id of the current standstill. */
  #id = '';
  #tries = 0;
  #nextTry = 0;
  #told = false;

  constructor(options: StillOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Returns the wait until the next look, ms. */
  async look(): Promise<number> {
    const now = Date.now();
    this.#noteTime(now);
    const { root, project } = this.#options;
    const [runId] = await listRuns(root, project);
    if (runId === undefined) return LONGEST_LOOK_MS;
    const ref = { project, runId };
    const limitMs = await this.#limit(ref);
    if (limitMs === undefined) return LONGEST_LOOK_MS;
    this.#wait = Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, limitMs / 10));
    const { state, at } = await lastMovement(root, ref);
    this.#noteStandstill(standstillId(runId, at));
    const why = this.#options.why();
    if (why === 'stopped' || this.#told) return this.#wait;
    const away = { ms: now - this.#askedAt, ...(why === undefined ? {} : { why }) };
    const seen = { ...(state === undefined ? {} : { state }), limitMs, away };
    const still = stillness({ ...seen, stillMs: now - Math.max(at, this.#begun) });
    if (!still) return this.#wait;
    const onlyQuiet = stillness({ ...seen, stillMs: 0 }) === undefined;
    if (!onlyQuiet || !(await this.#works(ref, now - limitMs))) await this.#tell(ref, still);
    return this.#wait;
  }

  #noteStandstill(id: string): void {
    if (id === this.#id) return;
    this.#id = id;
    this.#tries = 0;
    this.#told = false;
  }

  /** Nothing can move on a sleeping machine. */
  #noteTime(now: number): void {
    if (now - this.#looked > 3 * this.#wait + 60_000) {
      this.#begun = now;
      this.#askedAt = now;
    }
    this.#looked = now;
    const asked = this.#options.asked();
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#askedAt = now;
  }

  /** Undefined: the run is over, or no row asks for this alert. */
  async #limit(ref: RunRef): Promise<number | undefined> {
    const { root } = this.#options;
    const over = await access(join(runDir(root, ref.project, ref.runId), 'summary.json')).then(
      () => true,
      () => false,
    );
    if (over) return undefined;
    const { notify } = (await loadNewest(root, ref)).file.config;
    if (!notify?.rows.some(({ events }) => events.includes('nothing-moves'))) return undefined;
    return (notify.stillMinutes ?? 30) * 60_000;
  }

  /**
   * Agents and gates that write output are at work, even without events. Checks worktrees last, because they are large.
   */
  async #works(ref: RunRef, since: number): Promise<boolean> {
    const { root, project } = this.#options;
    if (this.#worktreesAt >= since || (await wroteSince(root, ref, since))) return true;
    const asked = Date.now();
    if (!(await changedSince(worktreesDir(root, project), since))) return false;
    this.#worktreesAt = asked;
    return true;
  }

  async #tell(ref: RunRef, still: Still): Promise<void> {
    const now = Date.now();
    if (this.#tries >= MOST_TRIES || (this.#tries > 0 && this.#nextTry > now)) return;
    const { root, env, onTold } = this.#options;
    const told = await tellNothingMoves({ root, env, signal: this.#signal }, ref, { ...still, id: this.#id });
    this.#told = !told.some(({ again }) => again);
    // Quiet hours delay the alert; that does not count as a try.
    if (told.length > 0 && told.every(({ again, problem }) => again && problem === undefined)) return;
    onTold(still, told);
    this.#tries += 1;
    this.#nextTry = now + Math.min(LAST_AGAIN_MS, FIRST_AGAIN_MS * 2 ** (this.#tries - 1));
  }
}

/** False when `signal` aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => delay(ms, true, { signal }).catch(() => false);
