/**
 * Takes a landed idea off the target through the landing queue: reverted in the object database, gated, swapped in.
 * Invariant: removes exactly that idea's changes; later landings stay. A conflict or a red gate moves nothing. It
 * happens once, also after a crash at any point (the undo ref proves it). Afterwards no claim says that the idea is
 * landed.
 */

import type { UndoResult } from '../../protocol/git-work.js';
import { isAncestor } from '../ancestry.js';
import { identityEnv, slotAuthor, type WriteOptions, writeCommit } from '../commits.js';
import { claimedHeadRef, claimRef, readTip, undoRef } from '../refs.js';
import { type Git, git } from '../runner.js';
import { listWorktrees } from '../worktrees/list.js';
import type { Target } from './brought-back.js';
import { noteOfRollback } from './checkout-note.js';
import { namedIdeas, readEach } from './first-parents.js';
import { giveBack } from './give-back.js';
import { type IdeaHistory, ideaHistory, type Landing } from './landed.js';
import { conflictDetail, mergeTrees } from './merge.js';
import { hasMarkOf, revertMessage } from './message.js';
import { missingTarget } from './missing-target.js';
import { originalOf } from './original.js';
import { rewordedOn } from './reworded.js';
import { asLanded, rewrittenOf } from './rewritten.js';
import { outOfSquash } from './squashed.js';
import { swapTarget } from './swap.js';
import { takenBack } from './taken-back.js';
import { gateCandidate, integrationOf, type LandingContext, type Located, withTargetLock } from './target-lock.js';
import { type TickedFile, tickTree } from './tick.js';

export interface UndoOptions extends LandingContext {
  title: string;
  agentName: string;
  /** Its landing commit, for a target where somebody rewrote the trailers away. */
  commit?: string;
  sign?: boolean;
  /** The backlog inside the repository: its ticks are removed one by one, never by reverting the file. */
  backlog?: {
    path: string;
    /** Its files, where it is a folder. */
    files?: readonly string[];
    untick: (text: string, path: string) => string | undefined;
  };
}

type Outcome = UndoResult extends infer R ? (R extends unknown ? Omit<R, 'durationMs'> : never) : never;
interface Tip {
  commit: string;
  tree: string;
}
type Reverted =
  /** `changed`: the landings changed more than the backlog. */
  | { kind: 'clean'; tree: string; changed: boolean }
  | Omit<Extract<UndoResult, { kind: 'conflict' }>, 'durationMs' | 'onto'>;

/** Undoes one idea on the target. Throws RepositoryError when a person must fix something. */
export async function undoIdea(options: UndoOptions): Promise<UndoResult> {
  const outcome = await withTargetLock(options, attempt);
  return (outcome.kind === 'nothing' ? { kind: 'nothing' } : outcome) as UndoResult;
}

/** One try against the target's present tip; undefined when the target moved meanwhile. */
async function attempt(options: UndoOptions & Located): Promise<Outcome | undefined> {
  const { repo, idea, target } = options;
  const { tip, undone } = await readRefs(options);
  const about = { repo, target, backlogPath: options.backlog?.path };
  const history = await ideaHistory(about, idea);
  const known = options.commit && !history.reverted ? options.commit : undefined;
  const named = history.reverted ? [] : await asNow(about, idea, { landings: history.landings, recorded: known });
  const landings = named.length > 0 || !known ? named : await bySubject(options, known, tip);
  if (landings.length === 0) return alreadyDone(history, undone);
  const dir = await integrationOf(options, tip.commit);
  const write: WriteOptions = { who: await identityEnv(repo), sign: options.sign || undefined };
  const merged = await revert(dir, tip, landings, options, write);
  // What a person took off in another way, such as with a whole file, is off: its tick may be left.
  const reverted =
    merged.kind === 'conflict' && (await isOff(about, idea)) ? { tree: tip.tree, changed: true } : merged;
  if ('kind' in reverted && reverted.kind === 'conflict') return { ...reverted, onto: tip.commit };
  const tree = await untick(dir, reverted.tree, options, landings);
  // Somebody took it off already: an empty commit would claim their work.
  if (reverted.changed && tree === tip.tree) return { kind: 'nothing' };
  const commit = await writeCommit(
    git(dir),
    {
      tree,
      parents: [tip.commit],
      author: slotAuthor(options.agentName),
      message: revertMessage(
        options,
        landings.flatMap((one) => one.subjects),
      ),
    },
    write,
  );
  const gate = await gateCandidate(options, dir, { commit, onto: tip.commit });
  if (!gate.pass) return { kind: 'red', onto: tip.commit, candidate: commit, gate };
  if (options.upstream && !(await options.upstream.admits({ dir, from: tip.commit, to: commit }))) return undefined;
  const swap = await swapTarget({
    dir,
    target,
    from: tip.commit,
    to: commit,
    claims: [
      [undoRef(idea), commit],
      [claimRef(idea), undefined],
      [claimedHeadRef(idea), undefined],
    ],
    worktrees: await listWorktrees(repo),
    mayLag: options.backlog?.path,
    reason: `ralphctl: undo ${idea}`,
  });
  if (!swap.moved) return undefined;
  const commits = landings.flatMap((one) => one.commits).length;
  return { kind: 'undone', commit, commits, note: swap.note ? noteOfRollback(swap.note) : undefined };
}

async function isOff(about: Target, idea: string): Promise<boolean> {
  const off = await takenBack({ ...about, only: new Set([idea]), whole: true });
  return off.some((one) => one.idea === idea && one.by !== undefined);
}

/** The newest commit about the idea on the target undoes it: an earlier attempt by ralphctl could not report it. */
function alreadyDone({ reverted }: IdeaHistory, undone: string | undefined): Outcome {
  if (!reverted || reverted.commit !== undone) return { kind: 'nothing' };
  return { kind: 'undone', commit: reverted.commit, commits: reverted.commits };
}

/** Newest first. What a person rewrote counts as it landed, also under their own words, or in one commit with other ideas. */
async function asNow(
  about: Target,
  idea: string,
  { landings, recorded }: { landings: readonly Landing[]; recorded: string | undefined },
): Promise<readonly Landing[]> {
  const [newest = await reworded(about, idea), ...older] = landings;
  if (!newest || newest.apart) return newest ? [newest] : [];
  const own = await outOfSquash(about, { idea, landing: newest, recorded });
  if (own) return [own, ...older];
  const rewritten = (await rewrittenOf(about, new Map([[idea, newest.to]]))).get(newest.to);
  return [rewritten ? asLanded(newest, rewritten) : newest, ...older];
}

async function reworded(about: Target, idea: string): Promise<Landing | undefined> {
  const { same, within } = await rewordedOn(about, { has: (one) => one !== idea });
  const commit = same.get(idea);
  if (commit !== undefined) return { from: `${commit}^`, to: commit, commits: [commit], subjects: [] };
  const claim = within.has(idea) ? await readTip(about.repo, claimRef(idea)) : undefined;
  const landing = claim === undefined ? undefined : (await readEach(about.repo, [claim])).get(claim);
  return landing && originalOf(about.repo, idea, landing);
}

/** A commit without trailers counts when it is on the target and its subject has the mark of the idea. */
async function bySubject({ repo, idea }: UndoOptions, commit: string, tip: Tip): Promise<Landing[]> {
  const shown = await git(repo).result(['log', '-1', '--format=%H%x01%P%x01%s%x01%B', commit, '--'], {
    ok: [0, 128],
    read: true,
  });
  const [to = '', parents = '', subject = '', ...message] = shown.stdout.trim().split('\x01');
  const [from] = parents.split(' ').filter(Boolean);
  const { landed, reverted } = namedIdeas(message.join('\x01'));
  if (!from || landed.length + reverted.length > 0 || !hasMarkOf(subject, idea)) return [];
  return (await isAncestor(repo, to, tip.commit)) ? [{ from, to, commits: [to], subjects: [subject] }] : [];
}

/** The tip's tree without the changes of the landings, reverted newest first. */
async function revert(
  dir: string,
  tip: Tip,
  landings: readonly Landing[],
  options: UndoOptions,
  write: WriteOptions,
): Promise<Reverted> {
  const repo = git(dir);
  let ours = tip;
  let changed = false;
  for (const landing of landings) {
    const before = await treeBefore(dir, repo, landing, options);
    changed ||= before.from !== before.to;
    if (ours.tree === before.to) {
      ours = { ...ours, tree: before.from };
      continue;
    }
    // A stand-in with the old tree and the landing as its parent makes the landing the merge base: that is a revert.
    const head = await standIn(repo, before.from, landing.to, write);
    const isTip = ours.tree === tip.tree && !landing.apart;
    const onto = isTip ? tip.commit : await standIn(repo, ours.tree, landing.apart ? landing.to : tip.commit, write);
    const merged = await mergeTrees(repo, onto, head);
    if (merged.kind === 'conflict') {
      const detail = await conflictDetail(dir, { onto, head, ...merged, ours: 'Taking the idea back changes' });
      return { kind: 'conflict', files: merged.files, detail };
    }
    ours = { ...ours, tree: merged.tree };
  }
  return { kind: 'clean', tree: ours.tree, changed };
}

const standIn = (repo: Git, tree: string, parent: string, { who }: WriteOptions): Promise<string> =>
  writeCommit(repo, { tree, parents: [parent], author: slotAuthor('ralphctl'), message: 'stand-in\n' }, { who });

const filesOf = (backlog: UndoOptions['backlog']): readonly string[] =>
  backlog === undefined ? [] : (backlog.files ?? [backlog.path]);

/** Trees around a landing; the backlog is the same in both, so that ticks of other ideas never conflict. */
async function treeBefore(dir: string, repo: Git, landing: Landing, { backlog }: UndoOptions) {
  const text = await repo.run(['rev-parse', `${landing.from}^{tree}`, `${landing.to}^{tree}`], { read: true });
  const [from = '', to = ''] = text.split('\n');
  if (!backlog) return { from, to };
  const after: TickedFile[] = [];
  await tickTree(dir, to, async (read) => {
    for (const path of filesOf(backlog)) {
      const text = await read(path);
      if (text !== undefined) after.push({ path, text });
    }
    return undefined;
  });
  const kept = await tickTree(dir, from, async (read) => {
    const there: TickedFile[] = [];
    for (const file of after) if ((await read(file.path)) !== undefined) there.push(file);
    return there;
  });
  return { from: kept, to };
}

/** Of a commit, the backlog's files. */
async function filesAt(dir: string, commit: string, backlog: UndoOptions['backlog']): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  await tickTree(dir, `${commit}^{tree}`, async (read) => {
    for (const path of filesOf(backlog)) {
      const text = await read(path);
      if (text !== undefined) texts.set(path, text);
    }
    return undefined;
  });
  return texts;
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:\d\d)/g;

/**
 * What the landing wrote there becomes what it was before, to the byte: also times, and boxes that a person had ticked
 * stay ticked. Where somebody changed that since, or the landing changed more than the mark, the mark alone is taken
 * off. Afterwards the idea is open in any case.
 */
async function untick(
  dir: string,
  tree: string,
  { backlog }: UndoOptions,
  landings: readonly Landing[],
): Promise<string> {
  if (!backlog) return tree;
  const [landing, ...more] = landings;
  const known = landing && more.length === 0 && !landing.apart;
  const [before, landed] = await Promise.all(
    known ? [filesAt(dir, landing.from, backlog), filesAt(dir, landing.to, backlog)] : [],
  );
  return tickTree(dir, tree, async (read) => {
    const unticked: TickedFile[] = [];
    for (const path of filesOf(backlog)) {
      const now = await read(path);
      if (now === undefined) continue;
      const open = (text: string): string => backlog.untick(text, path) ?? text;
      const [from, to] = [before?.get(path), landed?.get(path)];
      const onlyMark = from !== undefined && to !== undefined && bare(open(from)) === bare(open(to));
      const text = open(onlyMark ? giveBack(now, { from, to }) : now);
      if (text !== now) unticked.push({ path, text });
    }
    return unticked;
  });
}

/** Without times and ticks: a task that is not done keeps the boxes that a person ticked. */
const bare = (text: string): string => text.replaceAll(TIME, '').replaceAll(/\[[xX]\]/g, '[ ]');

async function readRefs({ repo, target, idea }: UndoOptions): Promise<{ tip: Tip; undone?: string }> {
  const names = [`refs/heads/${target}`, undoRef(idea)] as const;
  const text = await git(repo).run(['for-each-ref', '--format=%(refname) %(objectname) %(tree)', ...names], {
    read: true,
  });
  const found = new Map(text.split('\n').map((line) => [line.split(' ')[0] ?? '', line.split(' ')] as const));
  const [, commit, tree] = found.get(names[0]) ?? [];
  if (!commit || !tree) throw await missingTarget(repo, target);
  const undone = found.get(names[1])?.[1];
  return { tip: { commit, tree }, undone: undone || undefined };
}
