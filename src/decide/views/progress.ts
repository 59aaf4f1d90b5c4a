/** The progress of a run in its memo, which `status` reads where no worker answers. Pure. */
import type { IdeaEntry } from '../../protocol/run.js';
import type { RunOutcome, ShownState } from '../../protocol/states.js';
import type { RunStatus } from '../../protocol/views.js';

interface Progress {
  state: ShownState;
  landed: number;
  total: number;
  asking: number;
  /** Ended without landing; after the run, all that have not landed, as its summary lists them. */
  notLanded: number;
}

/** `ended`: how the run ended. */
export function progressOf(
  { counts, total }: Pick<RunStatus, 'counts' | 'total'>,
  { state, entries, ended }: { state: ShownState; entries: readonly IdeaEntry[]; ended?: RunOutcome | undefined },
): Progress {
  const { landed, blocked, timeout, failed, 'needs-human': asking } = counts;
  const notLanded = ended === undefined ? blocked + timeout + failed : notLandedOf(entries).length;
  return { state, landed, total, asking, notLanded };
}

export const notLandedOf = (entries: readonly IdeaEntry[]): IdeaEntry[] =>
  entries.filter(({ card, status }) => !card.blue && status !== 'landed');
