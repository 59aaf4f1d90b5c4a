/**
 * Decides when to paint the next frame: changes gather, keys paint at once, and the screen slows down when painting
 * costs too much CPU time.
 * Invariant: pure; the caller passes the time. All times in ms. Must not import anything.
 */

/** Delay after a single change. */
const FIRST_MS = 250;
/** Shortest interval between two frames caused by changes. */
const BETWEEN_MS = 2000;
const MOST_BETWEEN_MS = 8000;
/** Shortest interval between two frames caused by a held key. */
const KEY_MS = 100;
/** Interval between two frames while the terminal is unfocused. */
const UNFOCUSED_MS = 10_000;
/** The governor measures the screen's CPU time over this window. */
const WINDOW_MS = 30_000;
const MOST_SHARE = 0.015;
/** A frame of n characters delays the next one by at least n times this. */
const MS_PER_CHARACTER = 1.15;

export type Cause = 'change' | 'key' | 'stream';

export interface Pace {
  between: number;
  focused: boolean;
  lastFrame: number;
  /** Number of characters that the last frame wrote. */
  lastSize: number;
  /** Time of the next frame; absent: no frame is due. */
  due?: number;
  window: { at: number; cpu: number };
}

/** `cpu`: CPU time of this process so far. */
export const newPace = (now: number, cpu: number): Pace => ({
  between: BETWEEN_MS,
  focused: true,
  lastFrame: Number.NEGATIVE_INFINITY,
  lastSize: 0,
  window: { at: now, cpu },
});

/** Schedules a frame after a change. A visible stream gets one frame a second. */
export function wants(pace: Pace, cause: Cause, now: number): void {
  const next =
    cause === 'key'
      ? Math.max(now, pace.lastFrame + KEY_MS)
      : Math.max(now + FIRST_MS, pace.lastFrame + gap(pace, cause));
  pace.due = Math.min(pace.due ?? Number.POSITIVE_INFINITY, next);
}

function gap({ focused, between: least, lastSize }: Pace, cause: Cause): number {
  if (!focused) return UNFOCUSED_MS;
  const between = Math.max(least, lastSize * MS_PER_CHARACTER);
  return cause === 'stream' ? Math.max(1000, between / 2) : between;
}

/** Records a frame of `size` characters (0: nothing changed). The governor then checks the screen's cost. */
export function painted(pace: Pace, now: number, cpu: number, size = 0): void {
  pace.lastFrame = now;
  pace.lastSize = size;
  delete pace.due;
  const { at, cpu: before } = pace.window;
  if (now - at < WINDOW_MS) return;
  const share = (cpu - before) / (now - at);
  pace.between =
    share > MOST_SHARE ? Math.min(MOST_BETWEEN_MS, pace.between * 2) : Math.max(BETWEEN_MS, pace.between / 2);
  pace.window = { at: now, cpu };
}

export function focus(pace: Pace, focused: boolean, now: number): void {
  pace.focused = focused;
  if (focused) wants(pace, 'key', now);
}
