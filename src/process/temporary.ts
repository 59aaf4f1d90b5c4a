/**
 * Makes folders for files that live for one step.
 * Invariant: a temporary folder that cannot be used is an error that names it and its fix.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../protocol/user-error.js';

const FIX = 'Choose another folder: export TMPDIR=DIR';

/**
 * The caller removes it.
 * @param use word for its name
 * @throws UserError
 */
export async function makeTemporary(use: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), `ralphctl-${use}-`));
  } catch (error) {
    const from = process.env.TMPDIR ? ' (from TMPDIR)' : '';
    const why = (error as Error).message;
    const what = `ralphctl cannot use the temporary folder ${tmpdir()}${from}: ${why}`;
    throw Object.assign(new UserError(`${what}. ${FIX}`, undefined, FIX), { cause: error });
  }
}
