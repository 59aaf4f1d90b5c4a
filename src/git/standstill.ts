/**
 * Notices that this process stood still (SIGSTOP, a paused container). Its work may have been given up meanwhile and be
 * done by another process: whoever is told of it must do nothing more, least of all with git.
 * Must not import anything.
 */
const LOOK_MS = 1000;

let seenAt = performance.now();
let limitMs = Number.POSITIVE_INFINITY;
let tell: () => void = () => undefined;

/** Calls `then`, before the next git command at the latest, after this process stood still for longer than `ms`. */
export function whenStoodStill(ms: number, then: () => void): void {
  seenAt = performance.now();
  limitMs = ms;
  tell = then;
  setInterval(lookForStandstill, LOOK_MS).unref();
}

export function lookForStandstill(): void {
  const now = performance.now();
  const stood = now - seenAt;
  seenAt = now;
  if (stood > limitMs) tell();
}
