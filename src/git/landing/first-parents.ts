/** The first-parent line of a branch, with the changed files and named ideas of each commit. Reads only. */
import { git } from '../runner.js';
import { IDEA_TRAILER, REVERTED_TRAILER } from './message.js';

export interface LineCommit extends Named {
  sha: string;
  subject: string;
  /** epoch ms */
  at: number;
  /** Its first parent; absent: it has none. */
  parent?: string;
  /** Name, address and time of the author, which a rewritten commit keeps. */
  author: string;
  /** By path: the blobs before and after; all zeros: no such file. Git quotes only paths with control characters. */
  files: Map<string, { from: string; to: string }>;
}

const MOST_READ = 5000;

const LOG = ['log', '--diff-merges=first-parent', '--raw', '--no-abbrev', '--no-renames'];
// The message is indented, so that none of its lines looks like one of git's.
const FORMAT = '--format=%x02%H %ct %P%x01%at %an <%ae>%n%w(0,1,1)%B';

/** Newest first, back to `oldest`, with a maximum. A merge includes everything that it brought in. */
export async function readLine(repo: string, branch: string, oldest: string): Promise<LineCommit[]> {
  const range = ['-n', String(MOST_READ), FORMAT, `refs/heads/${branch}`, '--not', `${oldest}^@`, '--'];
  const { stdout } = await git(repo).result([...LOG, '--first-parent', ...range], {
    read: true,
    config: [...PINNED_LOG, 'core.quotePath=false'],
  });
  return stdout.split('\x02').slice(1).map(parse);
}

/** These commits, without those that are not there any more; one process. */
export async function readEach(repo: string, commits: Iterable<string>): Promise<Map<string, LineCommit>> {
  const input = [...new Set(commits)].map((one) => `${one}\n`).join('');
  if (input === '') return new Map();
  const args = [...LOG, '--no-walk=unsorted', '--ignore-missing', '--stdin', FORMAT];
  const { stdout } = await git(repo).result(args, {
    read: true,
    config: [...PINNED_LOG, 'core.quotePath=false'],
    input,
  });
  const read = stdout.split('\x02').slice(1).map(parse);
  return new Map(read.map((one) => [one.sha, one]));
}

function parse(record: string): LineCommit {
  const [head = '', ...lines] = record.split('\n');
  const [ids = '', author = ''] = head.split('\x01');
  const [sha = '', seconds, parent] = ids.split(' ');
  const message = lines.filter((line) => !line.startsWith(':')).map((line) => line.replace(/^ /, ''));
  const files: LineCommit['files'] = new Map();
  for (const line of lines) {
    const [, from, to, path] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) \w+\t(.+)$/s.exec(line) ?? [];
    if (from && to && path) files.set(path, { from, to });
  }
  const at = Number(seconds) * 1000;
  const named = namedIdeas(message.join('\n'));
  return { sha, subject: message[0] ?? '', at, author, files, ...(parent ? { parent } : {}), ...named };
}

/** Whether the line has a commit newer than `oldest` that names no idea. */
export async function hasForeign(repo: string, branch: string, oldest: string): Promise<boolean> {
  const named = ['--grep=^Ralph-Idea: ', '--grep=^Ralph-Reverted: '];
  const args = ['log', '--first-parent', '--invert-grep', ...named, '-n', '1', '--format=%H'];
  const range = [`refs/heads/${branch}`, '--not', oldest, '--'];
  return (await git(repo).run([...args, ...range], { read: true, config: PINNED_LOG })) !== '';
}

/*
 * Reads the trailers of landings from raw messages, so that a user's settings for trailers, searching, comments or
 * encodings have no effect. Parsing is pure.
 */

/** For every `git log` whose result decides something. */
export const PINNED_LOG: readonly string[] = [
  'grep.patternType=basic',
  'grep.extendedRegexp=false',
  'i18n.logOutputEncoding=UTF-8',
  'log.follow=false',
  'log.showRoot=true',
];

/** Ideas that a commit message names in its last paragraph. */
export interface Named {
  landed: string[];
  reverted: string[];
}

export function namedIdeas(message: string): Named {
  const lines = message.replaceAll('\r', '').trimEnd().split('\n');
  const start = lines.findLastIndex((line) => line.trim() === '');
  // A message of one paragraph is all subject.
  const block = start < 0 ? [] : lines.slice(start + 1);
  return { landed: valuesOf(block, IDEA_TRAILER), reverted: valuesOf(block, REVERTED_TRAILER) };
}

function valuesOf(block: readonly string[], key: string): string[] {
  const prefix = `${key.toLowerCase()}:`;
  return block
    .filter((line) => line.toLowerCase().startsWith(prefix))
    .map((line) => line.slice(prefix.length).trim())
    .filter(Boolean);
}
