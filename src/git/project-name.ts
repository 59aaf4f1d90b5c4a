/**
 * The name of a project. Invariant: it depends on the place of the shared git directory alone. Loaded by shell
 * completion: imports nothing heavy.
 */
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';

/** A stable, readable name: slug of the folder and eight hex digits of the shared git directory's real path. */
export function projectName(commonDir: string): string {
  // Every worktree of one repository must give the same name, so the folder is that of the main checkout.
  const folder = basename(commonDir) === '.git' ? basename(dirname(commonDir)) : basename(commonDir, '.git');
  const digest = createHash('sha256').update(commonDir).digest('hex').slice(0, 8);
  return `${slug(folder) || 'repo'}-${digest}`;
}

/** Lower case letters, digits and single dashes, at most 40 characters. */
export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '');
