/**
 * Reads the repository before and after an agent run, and collects the evidence of this run: git's trace, the
 * worktree's reflog, the agent's output.
 * Invariant: never attributes work of the user, of other ideas or of ralphctl to the run. Changes nothing of the
 * repository.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { keepPatterns } from '../../git/confinement/kept-patterns.js';
import {
  type Evidence,
  findOutOfBounds,
  madeSince,
  type OutOfBoundsChange,
} from '../../git/confinement/out-of-bounds.js';
import {
  type Outside,
  type OutsidePlace,
  type RefMove,
  readMoves,
  readOutside,
  SPARSE,
} from '../../git/confinement/outside.js';
import { type HeadLog, readHeadLog } from '../../git/confinement/own-branch.js';
import { readTrace, type TracedCommand } from '../../git/confinement/trace.js';
import { sparseChange } from '../../git/confinement/untraced.js';
import type { Wall } from '../../git/confinement/wall.js';
import { byGitDir } from '../../git/confinement/whose.js';
import { orNone } from '../../git/regular.js';
import { type Link, listWorktrees, privateGitDir, readBranches, readLinks } from '../../git/worktrees/list.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { noteActs } from './acts.js';
import { ranSince, statusOf } from './checkout-watch.js';
import { CHANGES, findMentions, isMentioned, textsWith } from './mentions.js';
import { lookAtOtherWorktrees } from './other-worktrees.js';
import { agentSection, heldAgainst, outOfBoundsOf } from './walls.js';

export interface GuardInput {
  repo: string;
  worktree: string;
  branch: string;
  idea: string;
  runId: string;
  agentName: string;
  /** Folder of the iteration. */
  dir: string;
  /** The agent's output. */
  outputFile: string;
  /** A file that ralphctl itself writes, absolute. A change of it is nobody's. */
  ownFile?: string | undefined;
  /** Absent: no check here of the files that decide which programs git runs. */
  wall?: Wall;
}

/** Below `refs/heads/`. */
const IDEA_BRANCHES = 'ralph/';

export interface Before {
  /** epoch ms */
  at: number;
  outside: Outside;
  /** Registered worktrees and idea branches. Absent in files of 0.1. */
  links?: Record<string, Link>;
  ideas?: Record<string, string>;
  head?: HeadLog;
}

export async function readPlace(place: OutsidePlace, worktree: string): Promise<Before> {
  const at = Date.now();
  const [outside, links, ideas, head] = await Promise.all([
    readOutside(place),
    readLinks(place.commonDir),
    readBranches(place.commonDir, IDEA_BRANCHES),
    readHeadLog(worktree),
  ]);
  return { at, outside, links, ideas, head };
}

export async function readBefore(file: string): Promise<Before | undefined> {
  const text = await readOwn(file);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Before);
  } catch {
    return undefined;
  }
}

export interface Seen {
  outside: Outside;
  outOfBounds: OutOfBoundsChange[];
  /** The changed files that belong to the checkout. */
  edited: string[];
  /** Broken worktrees without a known cause. */
  broken: string[];
}

export async function look(input: GuardInput, place: OutsidePlace, before: Before, trace: string): Promise<Seen> {
  const { commonDir } = place;
  const [outside, traced, links] = await Promise.all([readOutside(place), readTrace(trace), readLinks(commonDir)]);
  const worktree = await realpath(input.worktree);
  const commands = await byGitDir(traced, place, links);
  const others = Object.values(links).filter(({ path }) => path !== worktree);
  if (input.wall) await noteActs(input.wall, input.idea, commands, others);
  const gitDir = await privateGitDir(worktree);
  const headMoves = gitDir ? await readMoves(gitDir, 'HEAD') : [];
  const made = madeSince(headMoves, before.at);
  const [was, after] = await withIdeas(place, input.branch, before, outside, commands, made);
  const { outputFile } = input;
  const [moved, cone, edited, around] = await Promise.all([
    JSON.stringify(after) === JSON.stringify(was)
      ? []
      : attribute(input, place, was, after, { worktree, headMoves, made, commands }),
    patterns(input, place, was, after),
    edits(input, place, worktree, before.at),
    lookAtOtherWorktrees({
      ...{ commonDir, worktree, outputFile, before: before.links ?? {}, now: links, since: before.at, commands },
      ownAgentRan: (idea) => ranSince(place.root, before.at, idea),
    }),
  ]);
  const breaches = input.wall ? await heldAgainst(input.wall, agentSection(input.idea), before.at, worktree) : [];
  const outOfBounds = [...outOfBoundsOf(breaches), ...moved, ...cone, ...edited.outOfBounds, ...around.outOfBounds];
  return { outside, outOfBounds, edited: edited.files, broken: around.broken };
}

/**
 * Branches of other ideas move all the time. A branch counts only when the agent's own commands name it, or when it
 * contains the agent's commits.
 */
async function withIdeas(
  { commonDir }: OutsidePlace,
  own: string,
  { outside, ideas = {} }: Before,
  after: Outside,
  commands: readonly TracedCommand[],
  made: ReadonlySet<string>,
): Promise<[before: Outside, after: Outside]> {
  const said = commands.flatMap(({ argv }) => argv).filter((arg) => arg.includes(IDEA_BRANCHES) || arg === '--stdin');
  const now = await readBranches(commonDir, IDEA_BRANCHES);
  const named = Object.keys(ideas).filter((ref) => {
    const branch = ref.replace('refs/heads/', '');
    if (branch === own) return false;
    return said.some((arg) => arg.endsWith(branch)) || (now[ref] !== ideas[ref] && made.has(now[ref] ?? ''));
  });
  if (named.length === 0) return [outside, after];
  const pick = (refs: Record<string, string>) =>
    Object.fromEntries(named.flatMap((ref) => (refs[ref] === undefined ? [] : [[ref, refs[ref]]])));
  return [
    { ...outside, refs: { ...outside.refs, ...pick(ideas) } },
    { ...after, refs: { ...after.refs, ...pick(now) } },
  ];
}

async function attribute(
  input: GuardInput,
  place: OutsidePlace,
  before: Outside,
  after: Outside,
  own: Pick<Evidence, 'worktree' | 'headMoves' | 'made' | 'commands'>,
): Promise<OutOfBoundsChange[]> {
  const { root, commonDir } = place;
  const changed = Object.keys(before.refs).filter((name) => before.refs[name] !== after.refs[name]);
  const moves = new Map<string, readonly RefMove[]>();
  for (const name of changed) moves.set(name, await readMoves(commonDir, name));
  const trees = await listWorktrees(root);
  return findOutOfBounds(before, after, {
    ...own,
    branch: input.branch,
    root,
    linked: trees.map((tree) => tree.path).filter((path) => path !== root && path !== own.worktree),
    moves,
    config: { before: join(input.dir, 'config.before'), file: join(commonDir, 'config') },
  });
}

/** The patterns of the user's sparse checkout, where the agent's own words show that it wrote them. */
async function patterns(
  { outputFile, wall }: GuardInput,
  place: OutsidePlace,
  before: Outside,
  after: Outside,
): Promise<OutOfBoundsChange[]> {
  const keptPatterns = await keepPatterns(wall?.dir, before, after);
  const [changed] = sparseChange(before, after, { ...place, keptPatterns });
  if (!changed) return [];
  const texts = (await textsWith(outputFile, [SPARSE])).get(SPARSE) ?? [];
  if (!texts.some((text) => CHANGES.test(text))) return [];
  const what = `changed .git/${SPARSE}, whose patterns name the files that a landing writes into your checkout`;
  return [{ what, look: `git -C ${shellQuoted(place.root)} sparse-checkout list`, undo: changed.undo }];
}

/** Files of the user's checkout that changed during the run and that the agent named in an action. */
async function edits(
  input: GuardInput,
  { root }: OutsidePlace,
  worktree: string,
  since: number,
): Promise<{ outOfBounds: OutOfBoundsChange[]; files: string[] }> {
  const none = { outOfBounds: [], files: [] };
  const mentions = await findMentions(input.outputFile, root, [worktree, dirname(worktree), input.dir]);
  if (mentions.length === 0) return none;
  const { tracked, untracked } = await statusOf(root);
  const files: string[] = [];
  for (const path of [...tracked.map((entry) => entry.path), ...untracked])
    if (isMentioned(join(root, path), mentions) && (await changedSince(join(root, path), since))) files.push(path);
  if (files.length === 0) return none;
  const quoted = files.slice(0, 10).map(shellQuoted);
  const more = files.length > 10 ? ` and ${files.length - 10} more` : '';
  const change = {
    what: `changed ${files.slice(0, 10).join(', ')}${more} in your checkout`,
    look: `git -C ${shellQuoted(root)} status -- ${quoted.join(' ')}`,
  };
  return { outOfBounds: [change], files };
}

async function changedSince(path: string, since: number): Promise<boolean> {
  const own = await stat(path).catch(orNone);
  const info = own ?? (await stat(dirname(path)).catch(orNone));
  // File system clocks have a coarse resolution.
  return info !== undefined && info.ctimeMs >= since - 20;
}
