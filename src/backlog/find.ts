/**
 * The backlog of a repository when nobody named one.
 */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BacklogError } from './errors.js';
import { WHAT_IS_READ } from './foreign.js';

const PLACES = [
  ['.', ['roadmap.md', 'ROADMAP.md', 'ideas.yaml', 'ideas.yml', 'ideas.json']],
  ['specs', ['roadmap.md']],
] as const;

/** Names as the folder lists them: where case does not matter, a file must not be found twice. */
const names = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);

/**
 * Path of the backlog below `dir`: the configured one, else the one file with a known name.
 * @throws BacklogError when there is none, or more than one
 */
export async function findBacklog(dir: string, configured?: string): Promise<string> {
  if (configured !== undefined) return resolve(dir, configured);
  const found: string[] = [];
  for (const [folder, known] of PLACES) {
    const here = new Set(await names(join(dir, folder)));
    found.push(...known.filter((name) => here.has(name)).map((name) => join(dir, folder, name)));
  }
  const [only, ...others] = found;
  if (only === undefined) {
    const fix = `write roadmap.md, or name the file: ralphctl start <file>; ${WHAT_IS_READ}`;
    throw new BacklogError([{ file: dir, line: 0, message: 'there is no backlog here', fix }]);
  }
  if (others.length === 0) return only;
  const fix = `name one: ralphctl start ${only}, or "backlog:" in ralphctl.yaml`;
  throw new BacklogError([
    { file: dir, line: 0, message: `more than one file could be the backlog: ${found.join(', ')}`, fix },
  ]);
}
