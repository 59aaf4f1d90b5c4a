/** What has left the target or the backlog, and how to go on, the same in every view. Pure. */
import type { Gone } from '../../model/model.js';
import type { LineGone } from '../../model/since.js';

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

/** `roadmap.md does not have it any more, so no start runs it`; a ticked one runs with `--again`. */
export const lineGoneText = ({ backlog, ticked }: LineGone): string =>
  ticked
    ? `${backlog} has it ticked, so no start runs it without --again`
    : `${backlog} does not have it any more, so no start runs it`;

/** `merged by hand as 7f422bb6`: a person merged commits of an idea that has not landed. */
export const mergedText = (commit: string): string => `merged by hand as ${commit.slice(0, 8)}`;

/** What a command for the next start waits for. */
export const lineWait = ({ ticked }: LineGone): string =>
  `its retry waits ${ticked ? 'until it is unticked' : 'for its line'}`;
