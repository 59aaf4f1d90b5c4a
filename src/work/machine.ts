/**
 * Tells a machine that has run out of something from work that went wrong: the first passes, and costs the idea nothing.
 * Must not import anything of ours but the error and types.
 */
import type { RunResult } from '../process/run.js';
import { FAILURE } from '../protocol/failures.js';
import { WorkError } from './work-error.js';

const CODES = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EROFS']);
/** As git, a shell and Node say it. */
const WORDS =
  /\b(?:ENOSPC|EDQUOT|EMFILE|ENFILE|EROFS|EIO)\b|No space left on device|Disk quota exceeded|Too many open files|Cannot allocate memory|Read-only file system|Input\/output error/i;

/** The error as it is, or as a failure of the machine. */
export function machineFault(error: unknown): unknown {
  const seen = new Set<unknown>();
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    const { code } = at as { code?: unknown };
    if ((typeof code === 'string' && CODES.has(code)) || WORDS.test(at.message)) return asFault(at.message);
  }
  return error;
}

/** A program that could not be started because the machine had nothing left for it says nothing of the program. */
export function assertCouldStart({ launchError, launchCode }: Pick<RunResult, 'launchError' | 'launchCode'>): void {
  if (launchError !== undefined && launchCode !== undefined && CODES.has(launchCode)) throw asFault(launchError);
}

const asFault = (message: string): WorkError => {
  const what = message.split('\n').find((line) => WORDS.test(line)) ?? message;
  return new WorkError(`the machine cannot do the work: ${what.trim().slice(0, 300)}`, FAILURE.machine, true);
};
