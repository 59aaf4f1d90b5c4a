/** The open warnings of one idea, with what each means and how to answer it (B6). */
import type { IdeaModel } from '../../model/model.js';
import type { WhyView } from '../../protocol/views.js';
import { LONGEST_WARNING, type Warning } from '../../protocol/warnings.js';
import { warningMeans, warningWord } from '../../screen/words/state-words.js';
import { clean } from './live-lines.js';

/** As the run says, or where nobody answers, as its events say. */
export function openWarnings(
  { warnings }: WhyView,
  told: Pick<IdeaModel, 'warnings'> | undefined,
): { warnings?: Warning[] } {
  const open = warnings ?? (told?.warnings ?? []).flatMap(ofIdea);
  return open.length > 0 ? { warnings: open } : {};
}

/** `since` is missing only in a run's own lines. */
const ofIdea = ({ kind, text, since = 0 }: IdeaModel['warnings'][number]): Warning[] =>
  kind === 'errors' || kind === 'push' || kind === 'target' || kind === 'files' ? [] : [{ kind, text, since }];

/** It does not keep working meanwhile. */
const ASKS = 'it waits for you before it works on';

export function warningLines({ idea, warnings = [], over, possible, status }: WhyView & { over: boolean }): string[] {
  // A single attempt takes no more iterations.
  const more = possible === undefined || possible.includes('limit') ? '|+N' : '';
  const answer = over ? '' : `. Answer with: ralphctl warn ${idea} continue|stop${more}`;
  return warnings.flatMap(({ kind, text }) => [
    `! ${warningWord(kind)}: ${clean(text, LONGEST_WARNING)}`,
    ...(over ? [] : [`    ${status === 'needs-human' && kind !== 'outside' ? ASKS : warningMeans(kind)}${answer}`]),
  ]);
}
