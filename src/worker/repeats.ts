/**
 * Keeps a log from saying the same thing many times a second, as when the server is gone and every poller complains.
 * Invariant: a first message always passes; later ones pass at growing distances and say how many were held back. Pure.
 */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;
/** Silent for this long, a message is new again. */
const FORGOTTEN_MS = 5 * 60_000;
const MOST_KEPT = 200;

interface Seen {
  /** Until when it is held back. */
  until: number;
  pauseMs: number;
  held: number;
  at: number;
}

export class Repeats {
  readonly #seen = new Map<string, Seen>();

  /** How many like this were held back before it; undefined: hold this one back. `now` in milliseconds. */
  pass(message: string, now: number): number | undefined {
    // The same complaint with other numbers (attempts, ports, ids) is the same complaint.
    const key = message.slice(0, 300).replace(/[0-9a-f]{8,}|\d+/gi, '#');
    const seen = this.#seen.get(key);
    if (!seen || now - seen.at > FORGOTTEN_MS) {
      if (this.#seen.size >= MOST_KEPT) this.#seen.clear();
      this.#seen.set(key, { until: now + FIRST_MS, pauseMs: FIRST_MS, held: 0, at: now });
      return 0;
    }
    seen.at = now;
    if (now < seen.until) {
      seen.held++;
      return undefined;
    }
    const { held } = seen;
    seen.pauseMs = Math.min(seen.pauseMs * 2, LONGEST_MS);
    seen.until = now + seen.pauseMs;
    seen.held = 0;
    return held;
  }
}
