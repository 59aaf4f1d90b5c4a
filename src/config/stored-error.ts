/** The error about a file that ralphctl wrote itself and cannot use. */
import { UserError } from '../protocol/user-error.js';

/** A stored file that cannot be used. The message names the file and the fix. */
export class StoredFileError extends UserError {
  constructor(
    readonly path: string,
    readonly fault: 'newer' | 'broken',
    why: string,
    fix: string,
  ) {
    super(`${path} ${why}. ${fix}`, undefined, fix);
  }
}
