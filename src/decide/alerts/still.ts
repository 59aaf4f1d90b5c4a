/**
 * Whether nothing moves in an open run, and the words for it (`nothing-moves`).
 * Invariant: what a person stopped, and what has an alert of its own and resumes by itself, is no standstill. Pure; may
 * import protocol only.
 */
import { many } from '../../protocol/many.js';
import { type ShownState, WAITS_FOR_YOU } from '../../protocol/states.js';

export interface Seen {
  state?: ShownState;
  /** How long nothing has moved. */
  stillMs: number;
  /** How long that may be. */
  limitMs: number;
  /** How long no worker has reported that it reaches the server, and why, where that is known. */
  away?: { ms: number; why?: string };
}

export interface Still {
  text: string;
  /** The command that helps. */
  command: string;
}

/** A worker is back within seconds after a crash, and a server, too. */
const MOST_AWAY_MS = 2 * 60_000;
/** Workers report several times a minute. */
const LEAST_AWAY_MS = 45_000;

const QUIET = new Set<ShownState>(['paused', 'completed', 'stopped', 'aborted']);

export function stillness({ state = 'running', stillMs, limitMs, away }: Seen): Still | undefined {
  if (state === 'completed' || state === 'stopped' || state === 'aborted') return undefined;
  if (away && away.ms >= Math.min(MOST_AWAY_MS, away.why ? limitMs : Math.max(limitMs, LEAST_AWAY_MS))) {
    const why = away.why ?? `the worker has not reached the Temporal server ${forText(away.ms)}`;
    return { text: `${why}, so the run is not moving`, command: 'ralphctl start' };
  }
  if (stillMs < limitMs || QUIET.has(state)) return undefined;
  const since = forText(stillMs);
  if (state === WAITS_FOR_YOU || state === 'waiting_user')
    return { text: `everything has waited for you ${since}`, command: 'ralphctl status' };
  return { text: `no agent and no gate has done anything ${since}`, command: 'ralphctl status' };
}

export function forText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return `for ${many(Math.round(ms / 1000), 'second')}`;
  return minutes < 120 ? `for ${minutes} minutes` : `for ${Math.round(minutes / 60)} hours`;
}
