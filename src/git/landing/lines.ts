/**
 * How many lines each landing changed, and its commits.
 * Invariant: reads only, and takes two git processes however many ideas landed. Asks about the commits themselves, because
 * a reset takes them off the target.
 */
import { NO_INDEX } from '../checkout-index.js';
import { isCommitId } from '../commit-id.js';
import { git } from '../runner.js';
import { namedIdeas, PINNED_LOG } from './first-parents.js';
import { IDEA_TRAILER } from './message.js';

export interface Landed {
  added: number;
  deleted: number;
  commits: number;
  /** Its first commit, the commit before that, and its last. */
  first: string;
  before?: string;
  to: string;
}

interface Entry {
  parents: string[];
  ideas: string[];
}

/**
 * `commits`: the last commit of each idea's landing. Ideas whose commit is no longer there are left out. Reads the whole
 * history before them; `signal` ends that.
 */
export async function landedLines(
  repo: string,
  commits: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<Map<string, Landed>> {
  const found = new Map<string, Landed>();
  const tips = new Set([...commits.values()].filter(isCommitId));
  if (tips.size === 0) return found;
  const entries = await readEntries(repo, tips, signal);
  const own = new Map<string, string[]>();
  for (const [idea, to] of commits) {
    const chain = chainOf(entries, idea, to);
    if (chain.length > 0) own.set(idea, chain);
  }
  const ranges = new Map<string, LandingOf>();
  for (const [idea, chain] of own) {
    const first = chain.at(-1) ?? '';
    const before = entries.get(first)?.parents[0];
    ranges.set(idea, { commits: chain.length, first, ...(before ? { before } : {}), to: chain[0] ?? '' });
  }
  const changed = await numstat(repo, [...ranges.values()]);
  for (const [idea, range] of ranges)
    found.set(idea, { ...(changed.get(keyOf(range)) ?? { added: 0, deleted: 0 }), ...range });
  return found;
}

/** The commit before the landing that ends with `to`, and `to`. Undefined where no commit names the idea. */
export async function landingRange(
  repo: string,
  idea: string,
  to: string,
): Promise<readonly [before: string, to: string] | undefined> {
  const entries = await readEntries(repo, [to]);
  const first = chainOf(entries, idea, to).at(-1);
  const before = first === undefined ? undefined : entries.get(first)?.parents[0];
  return before === undefined ? undefined : [before, to];
}

/** Newest first: the commits in a row that name the idea. */
function chainOf(entries: ReadonlyMap<string, Entry>, idea: string, to: string): string[] {
  const chain: string[] = [];
  for (let sha: string | undefined = to; sha !== undefined; ) {
    const entry: Entry | undefined = entries.get(sha);
    if (!entry?.ideas.includes(idea)) break;
    chain.push(sha);
    sha = entry.parents[0];
  }
  return chain;
}

async function readEntries(repo: string, tips: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Entry>> {
  const args = ['log', '--ignore-missing', `--grep=^${IDEA_TRAILER}: `, '-z', '--format=%H%x01%P%x01%B', '--stdin'];
  const input = `${[...tips].join('\n')}\n`;
  const stops = signal ? { signal } : {};
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG, input, ...stops });
  const entries = new Map<string, Entry>();
  for (const record of stdout.split('\0')) {
    const [sha = '', parents = '', ...message] = record.split('\x01');
    if (sha)
      entries.set(sha, { parents: parents.split(' ').filter(Boolean), ideas: namedIdeas(message.join('\x01')).landed });
  }
  return entries;
}

type LandingOf = Omit<Landed, 'added' | 'deleted'>;
type Sum = Pick<Landed, 'added' | 'deleted'>;

const keyOf = ({ before = '', to }: LandingOf): string => `${to} ${before}`.trim();

/**
 * From the commit before a landing to its last one, as the diff of the idea shows it: a line that a later commit changes
 * again counts once. Git takes the second commit of a line as the parent of the first.
 */
async function numstat(repo: string, landings: readonly LandingOf[]): Promise<Map<string, Sum>> {
  const keys = [...new Set(landings.map(keyOf))];
  if (keys.length === 0) return new Map();
  const args = [
    'diff-tree',
    '-r',
    '--root',
    '--no-renames',
    '--numstat',
    '--always',
    '--pretty=format:%x02',
    '--stdin',
  ];
  const { stdout } = await git(repo).result(args, { read: true, input: `${keys.join('\n')}\n`, env: NO_INDEX });
  const sums = stdout.split('\x02').slice(1).map(sumOf);
  return new Map(keys.flatMap((key, at) => (sums[at] ? [[key, sums[at]]] : [])));
}

function sumOf(record: string): Sum {
  const sum = { added: 0, deleted: 0 };
  for (const line of record.split('\n')) {
    const [, added, deleted] = /^(\d+)\t(\d+)\t/.exec(line) ?? [];
    sum.added += Number(added ?? 0);
    sum.deleted += Number(deleted ?? 0);
  }
  return sum;
}
