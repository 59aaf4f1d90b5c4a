/**
 * When the next frame is painted: changes gather, keys do not wait, and the screen slows down when it costs too much.
 * Invariant: pure; the caller gives the time. All times in ms. Must not import anything.
 */

/** After a change that came alone. */
const FIRST_MS = 250;
/** Between two frames that changes asked for. */
const BETWEEN_MS = 2000;
const MOST_BETWEEN_MS = 8000;
/** Between two frames that keys asked for, while one is held down. */
const KEY_MS = 100;
/** Between two frames while the terminal is not looked at. */
const UNFOCUSED_MS = 10_000;
/** Over this the screen's own CPU time is looked at. */
const WINDOW_MS = 30_000;
const MOST_SHARE = 0.015;
/** A frame of n characters keeps the next one back for at least n times this. */
const MS_PER_CHARACTER = 1.15;

export type Cause = 'change' | 'key' | 'stream';

export interface Pace {
  between: number;
  focused: boolean;
  lastFrame: number;
  /** Characters that the last frame wrote. */
  lastSize: number;
  /** Time of the next frame; absent: none is wanted. */
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

/** Something changed: when is it painted? A stream that is looked at is painted once a second. */
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

/** A frame of so many characters was composed (0: nothing changed): the governor looks at what the screen costs. */
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
