/**
 * What cleanings removed, a line each in the project's folder, and as an event of a run.
 * Invariant: a note that cannot be written fails no cleaning.
 */
import { appendOwn, tailOfOwn } from '../../config/own-files.js';
import { cleanedPath } from '../../config/paths.js';
import { whatText } from '../../decide/retention/words.js';
import type { Cleaned, CleanMoment } from '../../protocol/retention.js';
import { eventsPath } from '../../run-files/events.js';

interface CleanedLine extends Cleaned {
  at: string;
  moment: CleanMoment;
  run?: string;
}

const TAIL = 256_000;
/** Enough to find what was removed; a line stays short. */
const MOST_ITEMS = 1000;

export async function recordCleaned(
  root: string,
  project: string,
  cleaned: Cleaned,
  { moment, run }: { moment: CleanMoment; run?: string },
): Promise<void> {
  const { items, bytes, more } = cleaned;
  if (items.length === 0) return;
  const at = new Date().toISOString();
  const line = { at, moment, ...(run === undefined ? {} : { run }), ...cleaned, items: items.slice(0, MOST_ITEMS) };
  await appendOwn(cleanedPath(root, project), `${JSON.stringify(line)}\n`).catch(() => undefined);
  if (run === undefined) return;
  const event = { at, kind: 'cleaned', bytes, what: whatText(items), ...(more ? { more } : {}) };
  await appendOwn(eventsPath(root, { project, runId: run }), `${JSON.stringify(event)}\n`).catch(() => undefined);
}

/** What another process has removed in a run after a moment (ISO 8601). */
export async function recordedAfter(
  root: string,
  project: string,
  run: string,
  moment: string,
): Promise<Cleaned | undefined> {
  const tail = (await tailOfOwn(cleanedPath(root, project), TAIL).catch(() => undefined)) ?? '';
  return tail
    .split('\n')
    .flatMap((line): CleanedLine[] => {
      try {
        const value = JSON.parse(line) as Partial<CleanedLine>;
        return Array.isArray(value.items) && typeof value.bytes === 'number' ? [value as CleanedLine] : [];
      } catch {
        return [];
      }
    })
    .findLast((line) => line.run === run && line.at > moment);
}
