/**
 * Builds the candidate of a landing: the idea's commits on top of the target's tip, each with idea and agent in its
 * message.
 * Invariant: the result depends on commits only. It works in the object database, moves no ref and touches no file.
 */
import {
  type Commit,
  identityEnv,
  type NewCommit,
  readCommits,
  slotAuthor,
  type WriteOptions,
  writeCommit,
} from '../commits.js';
import { RepositoryError } from '../errors.js';
import { type Git, git } from '../runner.js';
import { mergeTrees } from './merge.js';
import { commitMessage, isNormal, type MessageParts, normaliseMessage, numbered } from './message.js';

export type Strategy = 'rebase' | 'merge' | 'squash';

export interface CandidateInput {
  /** Where git runs: its files give the merge attributes. */
  dir: string;
  tip: { commit: string; tree: string };
  head: string;
  /** The idea's commits begin after this commit, which the target no longer contains. Absent: after the target. */
  after?: string | undefined;
  strategy: Strategy;
  parts: MessageParts;
  write: WriteOptions;
  /** Last change to the tree before it lands. */
  adjust: (tree: string) => Promise<string>;
}
export type Candidate =
  | { kind: 'ready'; commit: string; commits: number }
  | { kind: 'conflict'; files: string[]; messages: string[] };

/** The last commit is not written before its tree is final; `sha` says that this commit already exists. */
type Draft = {
  kind: 'draft';
  last: NewCommit & { sha?: string | undefined };
  before: number;
  /** Subjects of the others. */
  taken: ReadonlySet<string>;
};
type Built = Draft | { kind: 'empty' } | Extract<Candidate, { kind: 'conflict' }>;

/** The commit to land, or the files with conflicts. */
export async function buildCandidate(input: CandidateInput): Promise<Candidate> {
  const repo = git(input.dir);
  const { tip, head, after } = input;
  const range = after === undefined ? [`${tip.commit}..${head}`] : [`${after}..${head}`, `^${tip.commit}`];
  const commits = await readCommits(input.dir, ...range);
  if (commits[0]?.parents.length === 0)
    throw new RepositoryError(
      `The branch of ${input.parts.idea} has no history in common with the target.`,
      `Land it by hand, or start over: ralphctl retry ${input.parts.idea} --fresh`,
    );
  const built = await build(repo, input, commits);
  if (built.kind === 'conflict') return built;
  if (built.kind === 'empty') return bookkeeping(repo, input);
  const { last, before } = built;
  const tree = await input.adjust(last.tree);
  const commit = last.sha && tree === last.tree ? last.sha : await writeCommit(repo, { ...last, tree }, input.write);
  return { kind: 'ready', commit, commits: before + 1 };
}

function build(repo: Git, input: CandidateInput, commits: readonly Commit[]): Promise<Built> {
  const last = commits.at(-1);
  if (!last) return Promise.resolve({ kind: 'empty' });
  if (input.strategy === 'merge')
    return input.after === undefined ? merge(repo, input, commits, last) : mergeOnTop(repo, input, commits, last);
  if (input.strategy === 'rebase' && isLinear(commits)) return rebase(repo, input, commits, last);
  return squash(repo, input, commits, last);
}

/** Without work to land, a tick in the backlog still gets a commit. */
async function bookkeeping(repo: Git, input: CandidateInput): Promise<Candidate> {
  const tree = await input.adjust(input.tip.tree);
  if (tree === input.tip.tree) return { kind: 'ready', commit: input.tip.commit, commits: 0 };
  const commit = await writeCommit(
    repo,
    {
      tree,
      parents: [input.tip.commit],
      author: slotAuthor(input.parts.agentName),
      message: commitMessage({ ...input.parts, type: 'chore' }),
    },
    input.write,
  );
  return { kind: 'ready', commit, commits: 1 };
}

/** Each commit has one parent: the one before it. */
const isLinear = (commits: readonly Commit[]): boolean =>
  commits.every((commit, i) => commit.parents.length === 1 && (i === 0 || commit.parents[0] === commits[i - 1]?.sha));

async function rebase(repo: Git, input: CandidateInput, commits: readonly Commit[], head: Commit): Promise<Built> {
  let onto = input.tip;
  let original = { commit: commits[0]?.parents[0], tree: await treeOf(repo, input.after) };
  let waiting: (Draft & { said: string; taken: Set<string> }) | undefined;
  for (const commit of commits) {
    const settled = waiting ? await settle(repo, waiting, input.write) : onto.commit;
    onto = { ...onto, commit: settled };
    const tree = await replay(repo, onto, original, commit, input.write);
    // The commits conflict one by one, but their sum may not: a later commit often reverts an earlier one.
    if (tree === undefined) return squash(repo, input, commits, head);
    original = { commit: commit.sha, tree: commit.tree };
    if (tree === onto.tree) {
      if (waiting) waiting = { ...waiting, last: { ...waiting.last, sha: settled } };
      continue;
    }
    const next = rewritten(commit, tree, settled, input.parts);
    const said = next.message;
    // Iterations with uncommitted work all get the same message. Consecutive ones land as one commit, others get a number.
    if (waiting?.said === said) {
      const { message, parents } = waiting.last;
      waiting = { ...waiting, last: { ...next, message, parents, sha: undefined } };
    } else {
      const taken: Set<string> = waiting?.taken ?? new Set();
      if (waiting) taken.add(subjectOf(waiting.last.message));
      const last = withNumber(next, taken, input.parts);
      waiting = { kind: 'draft', before: waiting ? waiting.before + 1 : 0, last, said, taken };
    }
    onto = { commit: settled, tree };
  }
  return waiting ?? { kind: 'empty' };
}

/** A merge of the very commits would bring in what lies before them. */
async function mergeOnTop(repo: Git, input: CandidateInput, commits: readonly Commit[], head: Commit): Promise<Built> {
  const built = await (isLinear(commits) ? rebase : squash)(repo, input, commits, head);
  if (built.kind !== 'draft') return built;
  const side = await settle(repo, built, input.write);
  const { tree, message: said } = built.last;
  const parents = [input.tip.commit, side];
  const taken = new Set([...built.taken, subjectOf(said)]);
  const message = numbered(commitMessage(input.parts), taken, input.parts);
  return { kind: 'draft', before: built.before + 1, last: { tree, parents, author: head.author, message }, taken };
}

const subjectOf = (message: string): string => message.split('\n', 1)[0] ?? '';

/** With other words it is another commit. */
function withNumber(last: Draft['last'], taken: ReadonlySet<string>, parts: MessageParts): Draft['last'] {
  const message = numbered(last.message, taken, parts);
  return message === last.message ? last : { ...last, message, sha: undefined };
}

const treeOf = async (repo: Git, commit: string | undefined): Promise<string> =>
  commit === undefined ? '' : repo.run(['rev-parse', `${commit}^{tree}`], { read: true });

const settle = async (repo: Git, draft: Draft, write: WriteOptions): Promise<string> =>
  draft.last.sha ?? (await writeCommit(repo, draft.last, write));

/** The tree of `commit` moved from its parent onto another commit; undefined on conflict. */
export async function replay(
  repo: Git,
  onto: { commit: string; tree: string },
  parent: { commit: string | undefined; tree: string },
  commit: Commit,
  write: WriteOptions,
): Promise<string | undefined> {
  if (onto.commit === parent.commit || onto.tree === parent.tree) return commit.tree;
  // A stand-in commit with the new tree and the old parent makes the old parent the merge base: that is a cherry-pick.
  const ours = parent.tree
    ? await writeCommit(
        repo,
        { tree: onto.tree, parents: commit.parents, author: commit.author, message: 'stand-in\n' },
        { who: write.who },
      )
    : onto.commit;
  const merged = await mergeTrees(repo, ours, commit.sha);
  return merged.kind === 'clean' ? merged.tree : undefined;
}

function rewritten(commit: Commit, tree: string, parent: string, parts: MessageParts): Draft['last'] {
  const same = tree === commit.tree && parent === commit.parents[0] && isNormal(commit.message, parts);
  const base = { tree, parents: [parent], author: commit.author };
  return same
    ? { ...base, message: commit.message, sha: commit.sha }
    : { ...base, message: normaliseMessage(commit.message, parts) };
}

async function squash(repo: Git, input: CandidateInput, commits: readonly Commit[], head: Commit): Promise<Built> {
  const merged = await mergedTree(repo, input, commits, head);
  if (merged.kind === 'conflict') return merged;
  if (merged.tree === input.tip.tree) return { kind: 'empty' };
  const only = commits.length === 1 ? commits[0] : undefined;
  const alone = { kind: 'draft', before: 0, taken: new Set<string>() } as const;
  if (only) return { ...alone, last: rewritten(only, merged.tree, input.tip.commit, input.parts) };
  const subjects = commits
    .filter((one) => one.parents.length === 1)
    .map((one) => `- ${one.message.split('\n', 1)[0] ?? ''}`);
  const message = normaliseMessage(
    `${commitMessage(input.parts).split('\n', 1)[0]}\n\n${subjects.slice(0, 50).join('\n')}\n`,
    input.parts,
  );
  return { ...alone, last: { tree: merged.tree, parents: [input.tip.commit], author: head.author, message } };
}

async function merge(repo: Git, input: CandidateInput, commits: readonly Commit[], head: Commit): Promise<Built> {
  const merged = await mergedTree(repo, input, commits, head);
  if (merged.kind === 'conflict') return merged;
  if (merged.tree === input.tip.tree) return { kind: 'empty' };
  const moved = new Map<string, string>();
  const taken = new Set<string>();
  for (const commit of commits) {
    const parents = commit.parents.map((id) => moved.get(id) ?? id);
    const message = numbered(normaliseMessage(commit.message, input.parts), taken, input.parts);
    const same = parents.every((id, i) => id === commit.parents[i]) && message.trimEnd() === commit.message.trimEnd();
    taken.add(subjectOf(message));
    moved.set(commit.sha, same ? commit.sha : await writeCommit(repo, { ...commit, parents, message }, input.write));
  }
  const side = moved.get(head.sha) ?? head.sha;
  const last = {
    tree: merged.tree,
    parents: [input.tip.commit, side],
    author: head.author,
    message: numbered(commitMessage(input.parts), taken, input.parts),
  };
  return { kind: 'draft', before: commits.length, last, taken };
}

/** The merged tree of both sides; no process when the idea already builds on the tip. */
async function mergedTree(repo: Git, input: CandidateInput, commits: readonly Commit[], head: Commit) {
  if (isLinear(commits) && commits[0]?.parents[0] === input.tip.commit)
    return { kind: 'clean' as const, tree: head.tree };
  return mergeTrees(repo, await oursOver(repo, input.tip, input.after), head.sha);
}

/** A stand-in for the target's tip whose merge base with the idea is `after`. */
export async function oursOver(
  repo: Git,
  tip: { commit: string; tree: string },
  after: string | undefined,
): Promise<string> {
  if (after === undefined) return tip.commit;
  const standIn = { tree: tip.tree, parents: [after], author: slotAuthor('ralphctl'), message: 'stand-in\n' };
  return writeCommit(repo, standIn, { who: await identityEnv(repo.dir) });
}
