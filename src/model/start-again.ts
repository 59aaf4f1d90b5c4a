/**
 * The command that starts a run like one that is over: the same source, target and flags. A plain `ralphctl start` may
 * be another run, with another backlog and without its waves.
 * Invariant: pure. Without files of a run it is the plain `start`.
 */
import { shellWord } from '../protocol/shell-words.js';

/** Arguments after `ralphctl`. */
export interface StartAgain {
  args: readonly string[];
  /** Those of a start that takes `--again`; absent: no start reads this source. */
  again?: readonly string[];
}

const PLAIN: StartAgain = { args: ['start'], again: ['start'] };

export const startArgs = (start: StartAgain = PLAIN): readonly string[] => start.args;

/** `ralphctl run reports.jsonl` */
export const startCommand = (start: StartAgain = PLAIN): string => asCommand(start.args);

/** `ralphctl start --again a-1` */
export const againCommand = (idea: string, { again }: StartAgain = PLAIN): string | undefined =>
  again && asCommand([...again, '--again', idea]);

const asCommand = (args: readonly string[]): string => ['ralphctl', ...args.map(shellWord)].join(' ');
