/** The command line with which a person calls this program, for hints to copy. */
import { basename, relative, resolve } from 'node:path';
import type { Context } from './context.js';

/**
 * After `npm start`, PATH has no `ralphctl`; and a repository that is not the current folder is named.
 * `anywhere`: it works in any folder.
 */
export function called({ cwd }: Pick<Context, 'cwd'>, { anywhere } = { anywhere: false }): string {
  const script = process.argv[1] ?? '';
  const here = process.cwd();
  const elsewhere = !anywhere && resolve(cwd) !== here ? ` -C ${cwd}` : '';
  if (basename(script) === 'ralphctl') return `ralphctl${elsewhere}`;
  return `node ${(anywhere ? '' : relative(here, script)) || script}${elsewhere}`;
}
