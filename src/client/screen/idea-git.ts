/**
 * Reads git data for the page of one idea: its diff, its commits, its uncommitted changes.
 * Invariant: reads only, and asks git the same question at most once in five seconds. Missing data leaves its field
 * absent; an answer that git could not give is asked for again.
 */

import { changedFiles } from '../../git/changes.js';
import { landingRange } from '../../git/landing/lines.js';
import { ownCommits } from '../../git/own-commits.js';
import { branchRef, ideaBranch } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import { listWorktrees } from '../../git/worktrees/list.js';
import type { IdeaModel } from '../../model/model.js';
import type { DiffFile, DiffView, IdeaDetails } from '../../screen/details.js';

const MOST_DIFF = 2000;
const KEPT_MS = 5000;
const READ = { read: true } as const;

/** Statuses whose cards tell what is left of the work. */
const LEFT = new Set<string>(['failed', 'timeout']);

type GitFacts = Pick<IdeaDetails, 'diff' | 'changed' | 'lastCommit' | 'left' | 'commit' | 'ahead' | 'unread'>;

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
  async read(idea: IdeaModel, target: string, file?: string): Promise<GitFacts> {
    const { id, status, iterations, commits, commit, base, off } = idea;
    const key = [id, status, iterations.length, commits, commit, base, off?.landed, file].join(' ');
    const now = Date.now();
    // The commits of a landing never change.
    const holds = idea.status === 'landed' || now - (this.#kept?.at ?? 0) < KEPT_MS;
    if (this.#kept?.key === key && holds) return this.#kept.facts;
    const facts = await this.#facts(idea, target, file);
    this.#kept = facts.unread ? undefined : { key, at: Date.now(), facts };
    return facts;
  }

  async #facts(idea: IdeaModel, target: string, file: string | undefined): Promise<GitFacts> {
    const facts: GitFacts = {};
    const missed = (): undefined => {
      facts.unread = true;
    };
    const range = await rangeOf(this.#repo, idea).catch(missed);
    if (range) {
      const diff = await diffOf(this.#repo, range, file).catch(missed);
      if (diff) {
        facts.diff = looked(diff, idea);
        const sum = (of: 'added' | 'deleted'): number => diff.files.reduce((all, one) => all + one[of], 0);
        facts.changed = { files: diff.files.length, added: sum('added'), deleted: sum('deleted') };
      }
      Object.assign(facts, await commitOf(this.#repo, idea, range, facts.changed?.files ?? 0).catch(missed));
    }
    if (idea.status !== 'landed' && !idea.off) {
      const ahead = await aheadOf(this.#repo, idea.id, target).catch(missed);
      if (ahead !== undefined) facts.ahead = ahead;
    }
    if (LEFT.has(idea.status)) {
      const left = await leftOf(this.#repo, idea.id).catch(missed);
      if (left) facts.left = left;
    }
    return facts;
  }
}

async function diffOf(repo: string, [base, tip]: Range, wanted: string | undefined): Promise<DiffView> {
  const files: DiffFile[] = await changedFiles(repo, base, tip);
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

/** What is left of an idea's work: its worktree with the files that no commit has, and its branch. */
async function leftOf(repo: string, id: string): Promise<IdeaDetails['left']> {
  const branch = ideaBranch(id);
  const place = (await listWorktrees(repo)).find((one) => one.branch === branch && !one.prunable);
  const hasBranch = (await commitAt(repo, `refs/heads/${branch}`)) !== undefined;
  if (!place) return { worktree: false, branch: hasBranch };
  const { stdout } = await git(place.path).result(['status', '--porcelain', '-z'], READ);
  return { worktree: true, branch: hasBranch, uncommitted: stdout.split('\0').filter((row) => row !== '').length };
}

async function commitAt(repo: string, name: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '-q', `${name}^{commit}`];
  const { stdout, code } = await git(repo).result(args, { ...READ, ok: [0, 1] });
  return code === 0 ? stdout.trim() : undefined;
}

/** As the report counts them. */
async function aheadOf(repo: string, id: string, target: string): Promise<number | undefined> {
  const tip = await commitAt(repo, `refs/heads/${ideaBranch(id)}`);
  return tip === undefined ? undefined : (await ownCommits(repo, target, [tip]))?.get(tip);
}

type Range = readonly [base: string, tip: string];

async function rangeOf(repo: string, idea: IdeaModel): Promise<Range | undefined> {
  const exists = (name: string): Promise<string | undefined> => commitAt(repo, name);
  const landed = idea.status === 'landed' ? idea.commit : idea.off?.landed;
  if (landed) {
    const commit = await exists(landed);
    if (!commit) return undefined;
    const landing = await landingRange(repo, idea.id, commit).catch(() => undefined);
    if (landing) return landing;
    const parent = await exists(`${commit}^`);
    return parent ? [parent, commit] : undefined;
  }
  const tip = (await exists(`refs/heads/${ideaBranch(idea.id)}`)) ?? (await exists(branchRef(idea.id)));
  const base = idea.base && (await exists(idea.base));
  return tip && base ? [base, tip] : undefined;
}
