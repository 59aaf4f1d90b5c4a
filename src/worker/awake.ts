/**
 * Keeps the machine awake while agents, gates and landings run.
 * Invariant: one process for each worker; it is gone moments after the work. On battery the machine sleeps as it would
 * without ralphctl, unless the configuration says `always`. Never rejects, and nothing waits for it.
 */
import type { AwakeMode } from '../config/schema/awake.js';
import type { WorkName } from '../jobs/job.js';
import type { PowerSource } from '../process/power.js';
import { type Hold, hold, inhibitor } from './inhibitor.js';

/** Works of the machine. Looks at pull requests, alerts and the like take a moment and recur for days. */
const WORK: ReadonlySet<WorkName> = new Set([
  ...(['runAgent', 'prepareIdea', 'runGate', 'landIdea', 'pushTarget', 'planWave'] as const),
  ...(['rollbackIdea', 'stashIdea', 'undoIdea', 'cleanupIdea'] as const),
]);

export interface AwakeOptions {
  project: string;
  env: NodeJS.ProcessEnv;
  /** Of the newest configuration of the run. */
  mode: () => Promise<AwakeMode>;
  power: PowerSource;
  onNote: (note: string, about?: Record<string, unknown>) => void;
  platform?: NodeJS.Platform;
  /** The next step of an idea follows at once; this bridges the moment. */
  lingerMs?: number;
  lookMs?: number;
  /** How long the system's program may take to grant a lock. */
  answerMs?: number | undefined;
}

const LINGER_MS = 20_000;
const LOOK_MS = 15_000;
/** A refusal stays one for a while. */
const AGAIN_MS = 10 * 60_000;

export class Awake {
  readonly #options: AwakeOptions;
  #working = 0;
  #endedAt = 0;
  #held: Hold | undefined;
  #granted = false;
  #refusal = '';
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: AwakeOptions) {
    this.#options = options;
  }

  /** Gives back `work`. */
  during<T>(name: WorkName, work: Promise<T>): Promise<T> {
    if (!WORK.has(name)) return work;
    this.#working += 1;
    // A look reads the configuration of the run. Work that follows other work waits for the next one.
    if (this.#timer === undefined) {
      this.#look();
      this.#timer = setInterval(() => this.#look(), this.#options.lookMs ?? LOOK_MS).unref();
    }
    const over = (): void => {
      this.#working -= 1;
      this.#endedAt = performance.now();
    };
    work.then(over, over);
    return work;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#release();
  }

  /** One look at a time. */
  #look(): void {
    this.#looking = this.#looking.then(() => this.#decide()).catch(() => undefined);
  }

  async #decide(): Promise<void> {
    const busy = this.#working > 0 || performance.now() - this.#endedAt < (this.#options.lingerMs ?? LINGER_MS);
    const wanted = busy && (await this.#wanted());
    if (this.#closed) return;
    if (wanted && this.#held?.granted() && !this.#granted) this.#note('keeps the machine awake', true);
    if (wanted && !this.#held) this.#hold();
    if (!wanted && this.#held) {
      this.#release();
      if (this.#granted) this.#note('lets the machine sleep again', false);
    }
    if (busy) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #wanted(): Promise<boolean> {
    const mode = await this.#options.mode();
    if (mode === 'off') return false;
    return mode === 'always' || !(await this.#options.power.onBattery());
  }

  #hold(): void {
    const { project, env, platform = process.platform, onNote, answerMs } = this.#options;
    const command = inhibitor(platform, `agents work on ${project}`);
    if (!command || performance.now() < this.#notBefore) return;
    const held = hold(command, { env, project, answerMs });
    this.#held = held;
    void held.lost.then((why) => {
      if (this.#held !== held) return;
      this.#held = undefined;
      this.#notBefore = performance.now() + AGAIN_MS;
      this.#granted = false;
      // It is the same for every try on most machines.
      if (!this.#closed && this.#refusal !== why) onNote('cannot keep the machine awake', { why });
      this.#refusal = why;
    });
  }

  #note(text: string, granted: boolean): void {
    this.#granted = granted;
    this.#options.onNote(text);
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.release();
  }
}
