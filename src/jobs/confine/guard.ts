/**
 * Looks at the user's repository before and after an agent run. Where the agent left its worktree, the idea stops at a
 * person, with what strayed, how to see it and how to take it back.
 * Invariant: only what this run's own evidence shows counts (git's trace, the worktree's reflog, the agent's output), so
 * that work of the user, of other ideas and of ralphctl is never held against it. What may be anybody's doing is told of,
 * and stops nothing. Costs one process where nothing changed, the status of the checkout.
 */
import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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
} from '../../git/confinement/outside.js';
import { foreignMoves, type HeadLog, readHeadLog } from '../../git/confinement/own-branch.js';
import { readTrace, type TracedCommand, traceEnvironment } from '../../git/confinement/trace.js';
import type { Wall } from '../../git/confinement/wall.js';
import { inspectRepository } from '../../git/repository.js';
import { readStatus } from '../../git/status.js';
import { exists, type Link, listWorktrees, privateGitDir, readBranches, readLinks } from '../../git/worktrees/list.js';
import type { Redact } from '../../process/redact.js';
import type { OutOfBoundsRun } from '../../protocol/activities.js';
import { writeAtomically } from '../../run-files/run.js';
import { changedLately, differences, firstLook, namesOf, present, whoRan, whoRanSince } from './checkout-watch.js';
import { findMentions, isMentioned } from './mentions.js';
import { lookAtOtherWorktrees } from './other-worktrees.js';
import { describe } from './question.js';
import { tellOf, untoldChanges } from './ref-watch.js';
import { agentSection, heldAgainst, noticeOf, outOfBoundsOf } from './walls.js';

export interface Guard {
  /** No attempt before this one was cut off: what moved the branch since its last run was not its agent. */
  first: boolean;
  /** For the agent: makes git record its commands. */
  env: Record<string, string>;
  /** Call when the agent has ended, in any way. */
  ended(): void;
  /**
   * After the run, and before anything of the idea is committed: what others did to its branch; see `own-branch.ts`. What
   * they moved is put back.
   */
  ownBranch(): Promise<OutOfBoundsChange[]>;
  /**
   * After the run; undefined when the agent kept to its worktree. `redact`: what the texts and the report pass through.
   * `more`: what is told with it.
   */
  check(redact?: Redact, more?: readonly OutOfBoundsChange[]): Promise<OutOfBoundsRun | undefined>;
  /** After `check`: changes outside the worktree of unknown origin, in a sentence. */
  notice(redact?: Redact): Promise<string | undefined>;
}

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
  /** Absent: the files that decide which programs git runs are not checked here. */
  wall?: Wall;
}

const asItIs: Redact = (text) => text;
const nothing = async () => undefined;
const NO_GUARD: Guard = {
  first: true,
  env: {},
  ended: () => {},
  ownBranch: () => Promise.resolve([]),
  check: nothing,
  notice: nothing,
};
const LONGEST_NOTICE = 1200;
/** Below `refs/heads/`. */
const IDEA_BRANCHES = 'ralph/';

const places = new Map<string, OutsidePlace>();

/** Call right before the agent starts. An interrupted attempt is checked together with its successor. */
export async function guard(input: GuardInput, enabled: boolean): Promise<Guard> {
  if (!enabled) return { ...NO_GUARD, notice: noticeOf(input) };
  const place = places.get(input.repo) ?? (await locate(input.repo));
  places.set(input.repo, place);
  const files = { trace: join(input.dir, 'git-trace.jsonl'), before: join(input.dir, 'outside.json') };
  const seen = await readBefore(files.before);
  const before = seen ?? (await readPlace(place, input.worktree));
  if (!seen) await writeAtomically(files.before, JSON.stringify(before));
  await firstLook(place.root);
  const ended = present(place.root, input);
  let seenAfter: Seen = { outside: before.outside, strays: [], edited: [], broken: [] };
  const first = !seen && !(await wasCutOff(input.dir));
  return {
    first,
    env: traceEnvironment(files.trace),
    ended,
    notice: (redact = asItIs) => noticed(input, place, before, seenAfter, redact),
    ownBranch: () =>
      foreignMoves(input, { head: before.head, tip: before.ideas?.[`refs/heads/${input.branch}`], trace: files.trace }),
    check: async (redact = asItIs, more = []) => {
      seenAfter = await look(input, place, before, files.trace);
      const strays = [...seenAfter.strays, ...more];
      const report = strays.length > 0 ? await describe(input, place.root, before.outside, strays, redact) : undefined;
      if (!report) await Promise.all([rm(files.trace, { force: true }), rm(files.before, { force: true })]);
      return report;
    },
  };
}

/** The attempt before has left no result. */
async function wasCutOff(dir: string): Promise<boolean> {
  const before = join(dirname(dir), String(Number(basename(dir)) - 1).padStart(basename(dir).length, '0'));
  return (await exists(join(before, 'outside.json'))) && !(await exists(join(before, 'result.json')));
}

interface Before {
  /** epoch ms */
  at: number;
  outside: Outside;
  /** Worktrees, by their registrations, and the branches of ideas. Absent in files of 0.1. */
  links?: Record<string, Link>;
  ideas?: Record<string, string>;
  head?: HeadLog;
}

async function readPlace(place: OutsidePlace, worktree: string): Promise<Before> {
  const at = Date.now();
  const [outside, links, ideas, head] = await Promise.all([
    readOutside(place),
    readLinks(place.commonDir),
    readBranches(place.commonDir, IDEA_BRANCHES),
    readHeadLog(worktree),
  ]);
  return { at, outside, links, ideas, ...(head ? { head } : {}) };
}

interface Seen {
  outside: Outside;
  strays: OutOfBoundsChange[];
  /** Those files of the checkout among them. */
  edited: string[];
  /** Broken worktrees without a known cause. */
  broken: string[];
}

async function locate(repo: string): Promise<OutsidePlace> {
  const { root, gitDir, commonDir } = await inspectRepository(repo);
  return { root, gitDir, commonDir };
}

async function readBefore(file: string): Promise<Before | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Before;
  } catch {
    return undefined;
  }
}

async function look(input: GuardInput, place: OutsidePlace, before: Before, trace: string): Promise<Seen> {
  const { commonDir } = place;
  const [outside, commands] = await Promise.all([readOutside(place), readTrace(trace)]);
  const worktree = await realpath(input.worktree);
  const gitDir = await privateGitDir(worktree);
  const headMoves = gitDir ? await readMoves(gitDir, 'HEAD') : [];
  const made = madeSince(headMoves, before.at);
  const [was, after] = await withIdeas(place, input.branch, before, outside, commands, made);
  const { outputFile } = input;
  const [moved, edited, others] = await Promise.all([
    JSON.stringify(after) === JSON.stringify(was)
      ? []
      : attribute(input, place, was, after, { worktree, headMoves, made, commands }),
    edits(input, place, worktree, before.at),
    lookAtOtherWorktrees({ commonDir, worktree, outputFile, before: before.links ?? {}, since: before.at, commands }),
  ]);
  const breaches = input.wall ? await heldAgainst(input.wall, agentSection(input.idea), before.at, worktree) : [];
  const strays = [...outOfBoundsOf(breaches), ...moved, ...edited.strays, ...others.strays];
  return { outside, strays, edited: edited.files, broken: others.broken };
}

/**
 * Branches of other ideas move all the time. Only those count that the agent's own commands name, or that contain its
 * commits.
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

/** Files of the user's checkout that changed during the run and that the agent named in an action. */
async function edits(
  input: GuardInput,
  { root }: OutsidePlace,
  worktree: string,
  since: number,
): Promise<{ strays: OutOfBoundsChange[]; files: string[] }> {
  const none = { strays: [], files: [] };
  const mentions = await findMentions(input.outputFile, root, [worktree, dirname(worktree), input.dir]);
  if (mentions.length === 0) return none;
  const { tracked, untracked } = await readStatus(root);
  const files: string[] = [];
  for (const path of [...tracked.map((entry) => entry.path), ...untracked])
    if (isMentioned(join(root, path), mentions) && (await changedSince(join(root, path), since))) files.push(path);
  if (files.length === 0) return none;
  const quoted = files.slice(0, 10).map((path) => `'${path.replaceAll("'", "'\\''")}'`);
  const more = files.length > 10 ? ` and ${files.length - 10} more` : '';
  const stray = {
    what: `changed ${files.slice(0, 10).join(', ')}${more} in your checkout`,
    look: `git -C '${root}' status -- ${quoted.join(' ')}`,
  };
  return { strays: [stray], files };
}

/** One sentence with all changes of unknown origin; the diffs are in a file beside the run. */
async function noticed(
  { idea, runId, dir, wall }: GuardInput,
  place: OutsidePlace,
  { at: since, outside: before }: Before,
  { outside: after, strays, edited, broken }: Seen,
  redact: Redact,
): Promise<string | undefined> {
  const { root } = place;
  const changed = (await changedLately(root, runId, since)).filter(({ path }) => !edited.includes(path));
  const said: string[] = [];
  if (changed.length > 0) {
    const report = join(dir, 'checkout.diff');
    await writeAtomically(report, redact(await differences(root, changed)));
    const who = whoRan(root, changed, idea);
    said.push(
      `in your checkout ${namesOf(changed)} changed while ${who} ran: by you, or by an agent that left its worktree. See: less '${report}'`,
    );
  }
  const refs = await untoldChanges({ place, wall, runId, since, before, after, strays });
  if (refs.length > 0) {
    const report = join(dir, 'outside.txt');
    const told = tellOf(refs, whoRanSince(root, since, idea), report);
    await writeAtomically(report, redact(told.report));
    said.unshift(told.text);
  }
  if (broken.length > 0)
    said.push(
      `${broken.slice(0, 3).join(', ')} was deleted or broken while ${idea} ran; ralphctl recreates it from its branch, and uncommitted work is lost`,
    );
  return said.length > 0 ? redact(said.join('; ')).slice(0, LONGEST_NOTICE) : undefined;
}

async function changedSince(path: string, since: number): Promise<boolean> {
  const own = await stat(path).catch(() => undefined);
  const info = own ?? (await stat(dirname(path)).catch(() => undefined));
  // File system clocks tick coarsely.
  return info !== undefined && info.ctimeMs >= since - 20;
}
