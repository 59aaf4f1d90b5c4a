/**
 * Lands commits again that the remote does not have, on top of a remote that moved.
 * Invariant: only commits of landings and their undo, and only as a gated tree. The former tip stays under a ref, so
 * that ideas that began there can land. A conflict or a red gate moves nothing.
 */
import type { GateResult } from '../../protocol/gate.js';
import { type Commit, identityEnv, readCommits, slotAuthor, type WriteOptions, writeCommit } from '../commits.js';
import { replay, type Strategy } from '../landing/candidate.js';
import { namedIdeas } from '../landing/first-parents.js';
import { conflictDetail, mergeTrees } from '../landing/merge.js';
import { IDEA_TRAILER, REVERTED_TRAILER } from '../landing/message.js';
import { swapTarget } from '../landing/swap.js';
import { gateCandidate, integrationOf, type LandingContext, withTargetLock } from '../landing/target-lock.js';
import { type Tick, tickTree, withTree } from '../landing/tick.js';
import { claimRef, readTip, replacedRef, undoRef } from '../refs.js';
import { type Git, git } from '../runner.js';
import { listWorktrees } from '../worktrees/list.js';

export interface AgainOptions extends LandingContext {
  agentName: string;
  strategy: Strategy;
  sign: boolean;
  /** Tip of the target with the commits. */
  from: string;
  /** The remote's commit. */
  onto: string;
  /** Of the remote, for messages: `origin/main`. */
  upstreamName: string;
  /** The backlog inside the repository. */
  backlogPath?: string | undefined;
  /** Ticks these ideas in the backlog. */
  tick?: (ideas: readonly string[]) => Promise<Tick>;
}

export type Again =
  | { kind: 'moved'; to: string; replaced: { idea: string; commit: string }[]; gate?: GateResult; note?: string }
  /** The target moved meanwhile. */
  | { kind: 'late' }
  | { kind: 'conflict'; files: string[]; detail: string }
  | { kind: 'red'; gate: GateResult }
  /** Somebody else's commit is among them. */
  | { kind: 'foreign'; commit: string; subject: string };

export async function landAgain(options: AgainOptions): Promise<Again> {
  const { repo, target, from, onto, strategy } = options;
  const { durationMs: _, ...again } = await withTargetLock<AgainOptions, Again>(options, async (here) => {
    if ((await readTip(repo, `refs/heads/${target}`)) !== from) return { kind: 'late' };
    const dir = await integrationOf(here, onto);
    const write = { who: await identityEnv(repo), sign: options.sign || undefined } as WriteOptions;
    const commits = await readCommits(repo, `${onto}..${from}`);
    const foreign = commits.find(({ message }) => allNamed(message).length === 0);
    if (foreign) return { kind: 'foreign', commit: foreign.sha, subject: foreign.message.split('\n', 1)[0] ?? '' };
    const input = { dir, commits, write, options };
    const built = strategy === 'merge' || !isLinear(commits) ? await merged(input) : await rebased(input);
    if ('files' in built) {
      const detail = await conflictDetail(dir, { onto, head: from, files: built.files, messages: built.messages });
      return { kind: 'conflict', files: built.files, detail };
    }
    const gate = await gateCandidate(here, dir, { commit: built.to, onto });
    if (!gate.pass) return { kind: 'red', gate };
    const { replaced, undone } = await newNames(repo, built.moved);
    const swap = await swapTarget({
      ...{ dir, target, from, to: built.to, worktrees: await listWorktrees(repo) },
      claims: [
        [replacedRef(target, from), from],
        ...replaced.map(({ idea, commit }) => [claimRef(idea), commit] as const),
        // A rollback that could not report finds itself by this ref.
        ...undone.map(({ idea, commit }) => [undoRef(idea), commit] as const),
      ],
      mayLag: options.backlogPath,
      rewrites: true,
      reason: `ralphctl: land again on ${options.upstreamName}`,
    });
    if (!swap.moved) return { kind: 'late' };
    return { kind: 'moved', to: built.to, replaced, gate, ...(swap.note === undefined ? {} : { note: swap.note }) };
  });
  return again as Again;
}

const allNamed = (message: string): string[] => Object.values(namedIdeas(message)).flat();

/** Each commit has one parent: the one before it. */
const isLinear = (commits: readonly Commit[]): boolean =>
  commits.every((commit, i) => commit.parents.length === 1 && (i === 0 || commit.parents[0] === commits[i - 1]?.sha));

interface Input {
  dir: string;
  commits: readonly Commit[];
  write: WriteOptions;
  options: AgainOptions;
}
/** `moved`: new commits by the old ones. */
type Built = { to: string; moved: ReadonlyMap<string, string> } | { files: string[]; messages: string[] };

async function rebased({ dir, commits, write, options }: Input): Promise<Built> {
  const repo = git(dir);
  const moved = new Map<string, string>();
  let onto = { commit: options.onto, tree: await treeOf(repo, options.onto) };
  for (const commit of commits) {
    const parent = { commit: commit.parents[0], tree: await treeOf(repo, commit.parents[0] ?? '') };
    const tree =
      (await replay(repo, onto, parent, commit, write)) ??
      (await withoutTick(repo, { dir, onto, parent, commit, write, options }));
    if (typeof tree !== 'string') return tree;
    // Also without a change, which somebody else may have made: its message says what became of an idea.
    const next = await writeCommit(repo, { ...commit, tree, parents: [onto.commit] }, write);
    moved.set(commit.sha, next);
    onto = { commit: next, tree };
  }
  return { to: onto.commit, moved };
}

/** Two hosts that tick neighbouring lines of a backlog conflict there only: the tick is made anew. */
async function withoutTick(
  repo: Git,
  at: {
    dir: string;
    onto: { commit: string; tree: string };
    parent: { commit: string | undefined; tree: string };
    commit: Commit;
    write: WriteOptions;
    options: AgainOptions;
  },
): Promise<string | Extract<Built, { files: string[] }>> {
  const { dir, onto, parent, commit, write, options } = at;
  const { landed } = namedIdeas(commit.message);
  const tick = options.tick && landed.length > 0 ? await options.tick(landed) : undefined;
  const bare = tick && (await unticked(dir, { parent: parent.tree, tree: commit.tree, tick }));
  if (tick && bare !== undefined) {
    const draft = { tree: bare, parents: commit.parents, author: commit.author, message: 'stand-in\n' };
    const sha = await writeCommit(repo, draft, { who: write.who });
    const tree = await replay(repo, onto, parent, { ...commit, sha, tree: bare }, write);
    if (tree !== undefined) return tickTree(dir, tree, tick);
  }
  const author = slotAuthor('ralphctl');
  const ours = { tree: onto.tree, parents: commit.parents, author, message: 'stand-in\n' };
  const conflict = await mergeTrees(repo, await writeCommit(repo, ours, { who: write.who }), commit.sha);
  return conflict.kind === 'conflict' ? conflict : { files: [], messages: [] };
}

/** The commit's tree without its tick; undefined where its files of the backlog changed in another way, too. */
async function unticked(
  dir: string,
  { parent, tree, tick }: { parent: string; tree: string; tick: Tick },
): Promise<string | undefined> {
  const ticked = await tickTree(dir, parent, tick);
  const run = git(dir);
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only'];
  const paths = async (to: string): Promise<string[]> =>
    (await run.result([...args, parent, to], { read: true })).stdout.split('\0').filter(Boolean);
  const files = await paths(ticked);
  if (files.length === 0) return undefined;
  const same = await run.result(
    ['diff-tree', '-r', '--quiet', ticked, tree, '--', ...files.map((one) => `:(top,literal)${one}`)],
    {
      ok: [0, 1],
      read: true,
    },
  );
  if (same.code !== 0) return undefined;
  return withTree(dir, tree, async (env) => {
    const specs = files.map((one) => `:(top,literal)${one}`);
    const { stdout } = await run.result(['ls-tree', '-r', '-z', '--full-tree', parent, '--', ...specs], { read: true });
    await run.run(['update-index', '-z', '--index-info'], { env, input: stdout });
  });
}

async function merged({ dir, commits, write, options }: Input): Promise<Built> {
  const repo = git(dir);
  const both = await mergeTrees(repo, options.onto, options.from);
  if (both.kind === 'conflict') return both;
  const last = new Map<string, string>();
  for (const { message } of commits) {
    const { landed, reverted } = namedIdeas(message);
    for (const idea of landed) last.set(idea, IDEA_TRAILER);
    for (const idea of reverted) last.set(idea, REVERTED_TRAILER);
  }
  const trailers = [...last].map(([idea, trailer]) => `${trailer}: ${idea}`).join('\n');
  const message = `chore: merge landed work into ${options.upstreamName}\n\n${trailers}\n`;
  const author = slotAuthor(options.agentName);
  const to = await writeCommit(
    repo,
    { tree: both.tree, parents: [options.onto, options.from], author, message },
    write,
  );
  return { to, moved: new Map() };
}

const treeOf = (repo: Git, commit: string): Promise<string> =>
  repo.run(['rev-parse', `${commit}^{tree}`], { read: true });

interface Renamed {
  idea: string;
  commit: string;
}

/** The claims, and the marks of a rollback, that named a commit which has another name now. */
async function newNames(
  repo: string,
  moved: ReadonlyMap<string, string>,
): Promise<{ replaced: Renamed[]; undone: Renamed[] }> {
  if (moved.size === 0) return { replaced: [], undone: [] };
  const [landing, undo] = [claimRef(''), undoRef('')];
  const text = await git(repo).run(['for-each-ref', '--format=%(refname) %(objectname)', landing, undo], {
    read: true,
  });
  const below = (prefix: string): Renamed[] =>
    text.split('\n').flatMap((line) => {
      const [name = '', commit = ''] = line.split(' ');
      const now = moved.get(commit);
      return now === undefined || !name.startsWith(prefix) ? [] : [{ idea: name.slice(prefix.length), commit: now }];
    });
  return { replaced: below(landing), undone: below(undo) };
}
