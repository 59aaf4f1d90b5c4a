/**
 * Reads git data for the page of one idea: its diff, its commits, its uncommitted changes.
 * Invariant: reads only, and asks git the same question at most once in five seconds. Missing data leaves its field
 * absent.
 */
import { branchRef, ideaBranch } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import { listWorktrees } from '../../git/worktrees/list.js';
import type { IdeaModel } from '../../model/model.js';
import type { DiffFile, DiffView, IdeaDetails } from '../../screen/details.js';

const MOST_DIFF = 2000;
const KEPT_MS = 5000;
const READ = { read: true } as const;

type GitFacts = Pick<IdeaDetails, 'diff' | 'changed' | 'lastCommit' | 'uncommitted' | 'commit'>;

export class IdeaGit {
  readonly #repo: string;
  #kept: { key: string; at: number; facts: GitFacts } | undefined;

  constructor(repo: string) {
    this.#repo = repo;
  }

  /**
   * `file`: also read that file's lines, or the first file's if it has not changed. Absent: read only the list of
   * files.
   */
  async read(idea: IdeaModel, file?: string): Promise<GitFacts> {
    const key = [idea.id, idea.status, idea.iterations.length, idea.commits, idea.commit, file].join(' ');
    const now = Date.now();
    if (this.#kept?.key === key && now - this.#kept.at < KEPT_MS) return this.#kept.facts;
    const facts = await this.#facts(idea, file);
    this.#kept = { key, at: Date.now(), facts };
    return facts;
  }

  async #facts(idea: IdeaModel, file: string | undefined): Promise<GitFacts> {
    const range = await rangeOf(this.#repo, idea).catch(() => undefined);
    const facts: GitFacts = {};
    if (range) {
      const diff = await diffOf(this.#repo, range, file).catch(() => undefined);
      if (diff) {
        facts.diff = looked(diff, idea);
        const sum = (of: 'added' | 'deleted'): number => diff.files.reduce((all, one) => all + one[of], 0);
        facts.changed = { files: diff.files.length, added: sum('added'), deleted: sum('deleted') };
      }
      Object.assign(facts, await commitOf(this.#repo, idea, range, facts.changed?.files ?? 0).catch(() => ({})));
    }
    if (idea.status === 'failed' || idea.status === 'timeout') {
      const uncommitted = await uncommittedOf(this.#repo, idea.id).catch(() => undefined);
      if (uncommitted !== undefined) facts.uncommitted = uncommitted;
    }
    return facts;
  }
}

async function diffOf(repo: string, [base, tip]: Range, wanted: string | undefined): Promise<DiffView> {
  const { stdout } = await git(repo).result(['diff', '--numstat', '-z', '--no-renames', base, tip, '--'], READ);
  const files = stdout.split('\0').flatMap((row): DiffFile[] => {
    const [added, deleted, path] = row.split('\t');
    return path ? [{ path, added: Number(added) || 0, deleted: Number(deleted) || 0 }] : [];
  });
  const file = files.find(({ path }) => path === wanted)?.path ?? files[0]?.path;
  if (wanted === undefined || file === undefined) return { base, files };
  const shown = await git(repo).result(['diff', '--no-color', '--no-ext-diff', base, tip, '--', file], READ);
  const lines = shown.stdout.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  return { base, files, file, lines: (start < 0 ? lines : lines.slice(start)).slice(0, MOST_DIFF) };
}

/** Adds gate findings to the files that they name. */
function looked(diff: DiffView, { gate, mergedGate }: IdeaModel): DiffView {
  const found = (mergedGate ?? gate)?.tripwires ?? [];
  if (found.length === 0) return diff;
  const files = diff.files.map((file) => {
    const look = found.find((text) => text.includes(file.path));
    return look === undefined ? file : { ...file, look };
  });
  return { ...diff, files };
}

async function commitOf(
  repo: string,
  { status }: IdeaModel,
  [base, tip]: Range,
  files: number,
): Promise<Pick<IdeaDetails, 'lastCommit' | 'commit'>> {
  if (base === tip) return {};
  const { stdout } = await git(repo).result(['log', '-1', '--format=%ct%x00%s', tip], READ);
  const [at = '', subject = ''] = stdout.trimEnd().split('\0');
  const lastCommit = Number(at) * 1000;
  return { ...(lastCommit > 0 ? { lastCommit } : {}), ...(status === 'landed' ? { commit: { subject, files } } : {}) };
}

async function uncommittedOf(repo: string, id: string): Promise<number | undefined> {
  const place = (await listWorktrees(repo)).find(({ branch, prunable }) => branch === ideaBranch(id) && !prunable);
  if (!place) return undefined;
  const { stdout } = await git(place.path).result(['status', '--porcelain', '-z'], READ);
  return stdout.split('\0').filter((row) => row !== '').length;
}

type Range = readonly [base: string, tip: string];

async function rangeOf(repo: string, idea: IdeaModel): Promise<Range | undefined> {
  const exists = async (name: string): Promise<string | undefined> => {
    const { stdout, code } = await git(repo).result(['rev-parse', '--verify', '-q', `${name}^{commit}`], {
      ...READ,
      ok: [0, 1, 128],
    });
    return code === 0 ? stdout.trim() : undefined;
  };
  if (idea.status === 'landed' && idea.commit) {
    const commit = await exists(idea.commit);
    const parent = commit && (await exists(`${commit}^`));
    return commit && parent ? [parent, commit] : undefined;
  }
  const tip = (await exists(`refs/heads/${ideaBranch(idea.id)}`)) ?? (await exists(branchRef(idea.id)));
  const base = idea.base && (await exists(idea.base));
  return tip && base ? [base, tip] : undefined;
}
