/** Reading commits whole and writing them again, author kept. Invariant: works on the object database only. */
import { type Git, git } from './git.js';
import { PINNED_LOG } from './trailers.js';

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  /** `date` is git's raw form: epoch seconds and zone. */
  author: { name: string; email: string; date: string };
  message: string;
}
export type NewCommit = Omit<Commit, 'sha'>;

/** Commits of a range, parents before children; one process. */
export async function readCommits(dir: string, range: string): Promise<Commit[]> {
  const format = '%H%x01%T%x01%P%x01%an%x01%ae%x01%ad%x01%B';
  const got = await git(dir).result(
    ['log', '--topo-order', '--reverse', '--date=raw', '-z', `--format=${format}`, range, '--'],
    { read: true, config: PINNED_LOG },
  );
  return got.stdout.split('\0').filter(Boolean).map(parse);
}

function parse(record: string): Commit {
  const [sha = '', tree = '', parents = '', name = '', email = '', date = '', ...rest] = record.split('\x01');
  return {
    sha,
    tree,
    parents: parents.split(' ').filter(Boolean),
    author: { name: name || 'unknown', email, date },
    message: rest.join('\x01'),
  };
}

export interface WriteOptions {
  /** Completes the committer's identity. */
  who: Readonly<Record<string, string>>;
  sign?: boolean;
}

/** Writes a commit object; its id. One process. */
export function writeCommit(repo: Git, commit: NewCommit, opts: WriteOptions): Promise<string> {
  const { name, email, date } = commit.author;
  return repo.run(
    ['commit-tree', commit.tree, ...(opts.sign ? ['-S'] : []), ...commit.parents.flatMap((id) => ['-p', id])],
    {
      env: { ...opts.who, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` },
      input: commit.message,
      config: ['i18n.commitEncoding=UTF-8'],
    },
  );
}
