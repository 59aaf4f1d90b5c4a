/** Commands that people gave an idea before its workflow starts. May import protocol and decide only. */
import type { CarriedOver } from '../../protocol/activities.js';
import type { IdeaStartState } from '../../protocol/idea-run.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaStatus } from '../../protocol/states.js';
import type { Autopilot } from '../run/autopilot.js';
import { sizeOf } from './amendments.js';

/** Most characters of hints that a run leaves to the next one. */
const MOST_CARRIED = 500_000;
const MOST_ABANDONED = 5000;
const MOST_RETRIED = 5000;
const MOST_OFF = 5000;

/** A start tries these again, which is a retry. What was cut short by the end of the run goes on. */
const TRIED: ReadonlySet<IdeaStatus> = new Set(['failed', 'timeout', 'blocked']);

/** What the next run must know of this one. `unsaid`: hints that exceed the limit. */
export function carriedOver(entries: readonly IdeaEntry[]): CarriedOver & { unsaid: CarriedOver['hints'] } {
  const over = entries.filter(({ status, card }) => status !== 'landed' && !card.blue);
  const abandoned = over
    .filter(({ status }) => status === 'abandoned')
    .slice(0, MOST_ABANDONED)
    .map(({ card, told }) => ({
      idea: card.id,
      ...(told?.verb === 'abandon' && told.reason ? { reason: told.reason } : {}),
    }));
  const hints: CarriedOver['hints'] = [];
  const unsaid: CarriedOver['hints'] = [];
  let left = MOST_CARRIED;
  for (const { card, notes = [] } of over) {
    if (notes.length === 0) continue;
    const { size } = sizeOf(notes);
    (size <= left ? hints : unsaid).push({ idea: card.id, notes });
    if (size <= left) left -= size;
  }
  const retries = over
    .map(({ card, status, retries: before }) => ({ idea: card.id, count: before + (TRIED.has(status) ? 1 : 0) }))
    .filter(({ count }) => count > 0)
    .slice(0, MOST_RETRIED);
  const off = over.filter(({ hold, takenOff }) => hold && takenOff).slice(0, MOST_OFF);
  // Another pull request may follow a closed one, and is not open yet.
  const anew = over.filter((entry) => entry.anew).slice(0, MOST_OFF);
  const kept = [
    ...off.map(({ card }) => ({ idea: card.id, verb: 'rollback' as const })),
    ...anew.map(({ card }) => ({ idea: card.id, verb: 'anew' as const })),
  ];
  return { abandoned, hints, ...(kept.length > 0 ? { kept } : {}), ...(retries.length > 0 ? { retries } : {}), unsaid };
}

/** Hands out what the idea was told before its start: hints and a skipped step once, limits and texts at each start. */
export function takeStartState(pilot: Autopilot, entry: IdeaEntry): IdeaStartState | undefined {
  const { notes, patch, revision, keepCount, skipStep, below } = entry;
  const start: IdeaStartState = {
    ...(notes ? { notes } : {}),
    ...(patch ? { patch } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(keepCount ? { iteration: keepCount } : {}),
    ...(skipStep ? { skipStep } : {}),
    ...(pilot.state.mode === 'step' ? { step: true } : {}),
    ...(below ? { on: below.commit } : {}),
  };
  delete entry.notes;
  delete entry.skipStep;
  return Object.keys(start).length > 0 ? start : undefined;
}
