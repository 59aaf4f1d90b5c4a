/**
 * Finds the backlog of a repository when nobody names one: ralphctl's own files first, then the paths of other tools.
 * Invariant: reads names, and content only where a name says too little. Never chooses between two.
 */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MIB, readInput } from '../config/read-input.js';
import { BacklogError, detect } from './detect.js';
import { WHAT_IS_READ } from './foreign.js';
import { Source } from './formats/source.js';

type Places = readonly (readonly [folder: string, names: readonly string[]])[];

const OWN: Places = [
  ['.', ['roadmap.md', 'ROADMAP.md', 'ideas.yaml', 'ideas.yml', 'ideas.json']],
  ['specs', ['roadmap.md']],
];
/** `*` stands for any folder. */
const FOREIGN: Places = [
  ['.', ['prd.json', 'PRD.md', 'fix_plan.md', '@fix_plan.md']],
  ['.ralph', ['queue.jsonc', 'queue.json', 'fix_plan.md', 'prd.json']],
  ['.ralph/agent', ['tasks.jsonl']],
  ['scripts/ralph', ['prd.json']],
  ['.ralph-tui', ['prd.json']],
  ['.beads', ['issues.jsonl', 'beads.jsonl']],
  ['.taskmaster/tasks', ['tasks.json']],
  ['specs/*', ['tasks.md']],
  ['.kiro/specs/*', ['tasks.md']],
  ['openspec/changes/*', ['tasks.md']],
  ['backlog', ['tasks']],
];

/** Files with such names need not be backlogs. */
const UNSURE: Places = [
  ['.', ['tasks.yaml', 'tasks.yml']],
  ['docs/plans', ['*.md']],
];

/** Uses the names that the folder lists: a file system that ignores case would otherwise return one file twice. */
const names = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);

async function below(dir: string, places: Places): Promise<string[]> {
  const found: string[] = [];
  for (const [folder, known] of places) {
    const open = folder.endsWith('/*') ? join(dir, folder.slice(0, -2)) : undefined;
    const folders =
      open === undefined ? [join(dir, folder)] : (await names(open)).sort().map((name) => join(open, name));
    for (const one of folders.filter((path) => !path.endsWith('/archive'))) {
      const here = await names(one);
      const fit = known.flatMap((name) =>
        here.filter((file) => (name.startsWith('*') ? file.endsWith(name.slice(1)) : file === name)).sort(),
      );
      found.push(...fit.map((name) => join(one, name)));
    }
  }
  return found;
}

/** Whether the content has the shape of a format of another tool. */
async function isForeign(file: string): Promise<boolean> {
  const text = await readInput(file, MIB).then(String, () => '');
  const source = new Source(file, text);
  const found = detect(source);
  return (
    'format' in found && found.format.name !== 'roadmap' && found.format.name !== 'ideas' && found.format.shape(source)
  );
}

/** Every file below `dir` that could be the backlog. ralphctl's own files hide those of other tools. */
export async function backlogsIn(dir: string): Promise<string[]> {
  const own = await below(dir, OWN);
  if (own.length > 0) return own;
  const unsure = await below(dir, UNSURE);
  const fit = await Promise.all(unsure.map(isForeign));
  return [...(await below(dir, FOREIGN)), ...unsure.filter((_, at) => fit[at])];
}

/**
 * Path of the backlog below `dir`: the configured one, else the one file with a known name.
 * @throws BacklogError when there is none, or more than one
 */
export async function findBacklog(dir: string, configured?: string, command = 'ralphctl start'): Promise<string> {
  if (configured !== undefined) return resolve(dir, configured);
  const found = await backlogsIn(dir);
  const [only, ...others] = found;
  if (only === undefined) {
    const fix = `write roadmap.md, or name the file: ${command} <file>. ${WHAT_IS_READ}`;
    throw new BacklogError([{ file: dir, line: 0, message: 'there is no backlog here', fix }]);
  }
  if (others.length === 0) return only;
  const fix = `name one: ${command} ${only}, or "backlog:" in ralphctl.yaml`;
  throw new BacklogError([
    { file: dir, line: 0, message: `more than one file could be the backlog: ${found.join(', ')}`, fix },
  ]);
}
