/** Words about landed work that has left the target, the same in every view. Pure. */
import type { Gone } from '../model/model.js';

export { fixSentence, fixText, lineGoneText, lineWait } from '../screen/words/gone-words.js';

/** Whole commands, in their order. */
export const fixCommands = ({ command, start }: Pick<Gone, 'command' | 'start'>): string[] =>
  start === undefined ? [command] : [command, start];

const MOST_NAMED = 5;

/** A lost branch is one loss, however many ideas it had. */
export function lostText(target: string, ideas: readonly string[]): string {
  const more = ideas.length > MOST_NAMED ? ` and ${ideas.length - MOST_NAMED} more` : '';
  const names = `${ideas.slice(0, MOST_NAMED).join(', ')}${more}`;
  return `the branch ${target} does not exist any more, and all that landed on it is gone: ${names}`;
}
