import type { IdeaModel } from '../../model/model.js';
import type { WhyView } from '../../protocol/views.js';
import type { Shown } from '../../screen/text/theme.js';

/** How the screen calls an idea that is pending. */
export function pendingWord(
  { held, waitsFor }: Pick<WhyView, 'held' | 'waitsFor'>,
  told: Pick<IdeaModel, 'held' | 'forNext' | 'lineGone'> | undefined,
): Shown {
  if (held || told?.held) return 'held';
  if (told?.forNext?.leftOut || told?.lineGone) return 'skipped';
  return waitsFor.length > 0 ? 'after' : 'ready';
}
