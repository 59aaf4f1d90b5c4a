/**
 * `git status --porcelain=v2 --branch -z`, read once and parsed. Parsing is pure.
 * Invariant: reading the status never writes to the index.
 */
import { git } from './runner.js';

export interface StatusEntry {
  path: string;
  /** Index against HEAD, `.` = same. */
  staged: string;
  /** Files against index, `.` = same. */
  unstaged: string;
  unmerged: boolean;
  submodule: boolean;
  /** Uncommitted changes inside a submodule: edits, or only untracked files. */
  inside?: 'edits' | 'untracked';
  /** A submodule that is at another commit. */
  moved?: true;
}

export interface Status {
  /** Undefined before the first commit. */
  head?: string;
  /** Short branch name; undefined when HEAD is detached. */
  branch?: string;
  tracked: StatusEntry[];
  /** Untracked, not ignored. Nested repositories are not among them. */
  untracked: string[];
  /** Folders with a git repository of their own that is not a submodule; no trailing slash. */
  nested: string[];
}

export function parseStatus(text: string): Status {
  const status: Status = { tracked: [], untracked: [], nested: [] };
  const fields = text.split('\0');
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? '';
    const kind = field[0];
    if (kind === '#') readHeader(field, status);
    else if (kind === '?') {
      const path = field.slice(2);
      // With --untracked-files=all only a nested repository is listed as a folder.
      if (path.endsWith('/')) status.nested.push(path.slice(0, -1));
      else status.untracked.push(path);
    } else if (kind === '1') status.tracked.push(entry(field, 8));
    else if (kind === '2') {
      status.tracked.push(entry(field, 9));
      i++;
    } else if (kind === 'u') status.tracked.push({ ...entry(field, 10), unmerged: true });
  }
  return status;
}

function readHeader(field: string, status: Status): void {
  const [, name, value] = field.split(' ', 3);
  if (name === 'branch.oid' && value !== '(initial)') status.head = value;
  // A branch name holds no spaces, `(detached)` is not a legal one.
  if (name === 'branch.head' && value !== '(detached)') status.branch = value;
}

function entry(field: string, spaces: number): StatusEntry {
  let at = 0;
  for (let n = 0; n < spaces; n++) at = field.indexOf(' ', at) + 1;
  const [, xy = '..', sub = 'N'] = field.split(' ', 3);
  return {
    path: field.slice(at),
    staged: xy[0] ?? '.',
    unstaged: xy[1] ?? '.',
    unmerged: false,
    submodule: sub[0] === 'S',
    moved: sub[1] === 'C' ? true : undefined,
    ...(sub[2] === 'M' ? { inside: 'edits' as const } : sub[3] === 'U' ? { inside: 'untracked' as const } : {}),
  };
}

export const isClean = (status: Status): boolean =>
  status.tracked.length + status.untracked.length + status.nested.length === 0;

/** Nothing to commit: build results inside submodules do not count. */
export const holdsNoWork = ({ tracked, untracked, nested }: Status): boolean =>
  untracked.length + nested.length === 0 &&
  tracked.every(
    ({ staged, unmerged, submodule, inside, moved }) =>
      submodule && inside === 'untracked' && staged === '.' && !unmerged && !moved,
  );

/** The status of the worktree at `dir`; one process. */
export async function readStatus(dir: string): Promise<Status> {
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=none'];
  return parseStatus((await git(dir).result([...args, '--no-ahead-behind'], { read: true })).stdout);
}
