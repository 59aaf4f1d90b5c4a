/**
 * Prints the actions of a run's agents while `logs -f` follows its events, each line with the name of its idea.
 * Invariant: shows only agent runs that are active meanwhile, and leaves no file open.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StampedEvent } from '../../protocol/events.js';
import { type Context, print, printJson } from '../context.js';
import { StreamFollower } from '../follow/stream-follow.js';
import { StreamView } from './stream-lines.js';
import { usesColour } from './terminal.js';

const POLL_MS = 300;

interface Watched {
  idea: string;
  serial: number;
  follower: StreamFollower;
  view: StreamView;
  /** This agent run was active while `logs -f` ran. */
  seen: boolean;
  ended: boolean;
}

export class AgentsView {
  readonly #runs = new Map<string, Watched>();
  #closed = false;

  constructor(
    private readonly context: Context,
    private readonly dirOf: (idea: string) => string,
  ) {}

  /** Takes an event of the run: events tell which agents begin and end. */
  take(event: StampedEvent): void {
    if (event.kind === 'iteration') {
      const { idea, serial } = event;
      const path = join(this.dirOf(idea), String(serial).padStart(3, '0'), 'stream.jsonl');
      const view = new StreamView(usesColour());
      const run = { idea, serial, follower: new StreamFollower(path), view, seen: false, ended: false };
      this.#runs.set(`${idea} ${serial}`, run);
    } else if (event.kind === 'iteration-end') {
      const key = `${event.idea} ${event.serial}`;
      const run = this.#runs.get(key);
      if (run?.seen) run.ended = true;
      else this.#runs.delete(key);
    }
  }

  /**
   * Prints lines as they come, until `close` or the signal. Only this function reads, so that nothing reads a file
   * twice at once.
   */
  async watch(signal: AbortSignal): Promise<void> {
    while (!this.#closed && !signal.aborted) {
      await delay(POLL_MS, undefined, { signal }).catch(() => {});
      for (const [key, run] of [...this.#runs]) {
        const { ended } = run;
        run.seen = true;
        await this.#show(run);
        if (!ended) continue;
        await run.follower.close();
        this.#runs.delete(key);
      }
    }
    for (const { follower } of this.#runs.values()) await follower.close();
  }

  close(): void {
    this.#closed = true;
  }

  async #show({ idea, serial, follower, view }: Watched): Promise<void> {
    for (const line of await follower.read()) {
      if (this.context.json) printJson({ ...line, idea, serial });
      else for (const text of view.lines(line, `${idea} │ `)) print(text);
    }
  }
}
