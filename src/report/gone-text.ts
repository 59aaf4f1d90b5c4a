/** Words about landed work that has left the target, the same in every view. Pure. */
import type { Gone } from '../model/model.js';

type Fix = Pick<Gone, 'command' | 'start' | 'part' | 'noBranch'>;

/** `run it again: ralphctl retry a-1, then: ralphctl start` */
export function fixText({ command, start, part, noBranch }: Fix): string {
  const what = noBranch ? 'bring it back' : part ? 'see it' : 'run it again';
  return `${what}: ${command}${start === undefined ? '' : `, then: ${start}`}`;
}

/** `Run it again with: ralphctl retry a-1, then: ralphctl start` */
export const fixSentence = (fix: Fix): string => {
  const text = fixText(fix).replace(': ', ' with: ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
};

/** Whole commands, in their order. */
export const fixCommands = ({ command, start }: Fix): string[] => (start === undefined ? [command] : [command, start]);

const MOST_NAMED = 5;

/** A lost branch is one loss, however many ideas it had. */
export function lostText(target: string, ideas: readonly string[]): string {
  const more = ideas.length > MOST_NAMED ? ` and ${ideas.length - MOST_NAMED} more` : '';
  const names = `${ideas.slice(0, MOST_NAMED).join(', ')}${more}`;
  return `the branch ${target} does not exist any more, and all that landed on it is gone: ${names}`;
}
