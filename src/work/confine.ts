/**
 * Looks at the user's repository before and after an agent run. Where the agent left its worktree, the idea stops at a
 * person, with what strayed, how to see it and how to take it back.
 * Invariant: only what this run's own evidence shows counts (git's trace, the worktree's reflog, the agent's output), so
 * that work of the user, of other ideas and of ralphctl is never held against it. Costs no process where nothing changed.
 */
import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git } from '../git/git.js';
import { type Outside, type OutsidePlace, type RefMove, readMoves, readOutside } from '../git/outside.js';
import { inspectRepository } from '../git/repository.js';
import { readStatus } from '../git/status.js';
import { findStrays, type Stray } from '../git/strays.js';
import { readTrace, traceEnvironment } from '../git/trace.js';
import { listWorktrees, privateGitDir } from '../git/worktree-list.js';
import type { Redact } from '../process/redact.js';
import type { StrayedRun } from '../protocol/activities.js';
import { writeAtomically } from '../runs/run-files.js';
import { findMentions, isMentioned } from './mentions.js';

export interface Guard {
  /** For the agent: lets git write down what it is asked to do. */
  env: Record<string, string>;
  /** After the run; undefined when the agent kept to its worktree. `redact`: what the texts and the report pass through. */
  check(redact?: Redact): Promise<StrayedRun | undefined>;
}

export interface GuardInput {
  repo: string;
  worktree: string;
  branch: string;
  idea: string;
  /** Folder of the iteration. */
  dir: string;
  /** What the agent prints. */
  outputFile: string;
}

const asItIs: Redact = (text) => text;
const NO_GUARD: Guard = { env: {}, check: () => Promise.resolve(undefined) };
/** Most of a diff that is kept, bytes. */
const LONGEST_DIFF = 1 << 20;
const LONGEST_QUESTION = 1500;

const places = new Map<string, OutsidePlace>();

/** Call right before the agent starts. An attempt that was cut off is checked together with the one that takes over. */
export async function guard(input: GuardInput, enabled: boolean): Promise<Guard> {
  if (!enabled) return NO_GUARD;
  const place = places.get(input.repo) ?? (await locate(input.repo));
  places.set(input.repo, place);
  const files = { trace: join(input.dir, 'git-trace.jsonl'), before: join(input.dir, 'outside.json') };
  const seen = await readBefore(files.before);
  const before = seen ?? { at: Date.now(), outside: await readOutside(place) };
  if (!seen) await writeAtomically(files.before, JSON.stringify(before));
  return {
    env: traceEnvironment(files.trace),
    check: async (redact = asItIs) => {
      const strays = await look(input, place, before, files.trace);
      const report = strays.length > 0 ? await describe(input, place, before.outside, strays, redact) : undefined;
      if (!report) await Promise.all([rm(files.trace, { force: true }), rm(files.before, { force: true })]);
      return report;
    },
  };
}

interface Before {
  /** epoch ms */
  at: number;
  outside: Outside;
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

async function look(input: GuardInput, place: OutsidePlace, before: Before, trace: string): Promise<Stray[]> {
  const after = await readOutside(place);
  const worktree = await realpath(input.worktree);
  const [moved, edited] = await Promise.all([
    JSON.stringify(after) === JSON.stringify(before.outside)
      ? []
      : attribute(input, place, worktree, before.outside, after, trace),
    edits(input, place, worktree, before.at),
  ]);
  return [...moved, ...edited];
}

async function attribute(
  input: GuardInput,
  place: OutsidePlace,
  worktree: string,
  before: Outside,
  after: Outside,
  trace: string,
): Promise<Stray[]> {
  const { root, commonDir } = place;
  const gitDir = await privateGitDir(worktree);
  const changed = Object.keys(before.refs).filter((name) => before.refs[name] !== after.refs[name]);
  const moves = new Map<string, readonly RefMove[]>();
  for (const name of changed) moves.set(name, await readMoves(commonDir, name));
  const [commands, headMoves, trees] = await Promise.all([
    readTrace(trace),
    gitDir ? readMoves(gitDir, 'HEAD') : [],
    listWorktrees(root),
  ]);
  return findStrays(before, after, {
    worktree,
    branch: input.branch,
    headMoves,
    root,
    linked: trees.map((tree) => tree.path).filter((path) => path !== root && path !== worktree),
    commands,
    moves,
    config: { before: join(input.dir, 'config.before'), file: join(commonDir, 'config') },
  });
}

/** Files of the user's checkout that changed during the run and that the agent named in what it did. */
async function edits(input: GuardInput, { root }: OutsidePlace, worktree: string, since: number): Promise<Stray[]> {
  const mentions = await findMentions(input.outputFile, root, [worktree, dirname(worktree), input.dir]);
  if (mentions.length === 0) return [];
  const { tracked, untracked } = await readStatus(root);
  const files: string[] = [];
  for (const path of [...tracked.map((entry) => entry.path), ...untracked])
    if (isMentioned(join(root, path), mentions) && (await changedSince(join(root, path), since))) files.push(path);
  if (files.length === 0) return [];
  const quoted = files.slice(0, 10).map((path) => `'${path.replaceAll("'", "'\\''")}'`);
  const more = files.length > 10 ? ` and ${files.length - 10} more` : '';
  return [
    {
      what: `changed ${files.slice(0, 10).join(', ')}${more} in your checkout`,
      look: `git -C '${root}' status -- ${quoted.join(' ')}`,
    },
  ];
}

async function changedSince(path: string, since: number): Promise<boolean> {
  const own = await stat(path).catch(() => undefined);
  const info = own ?? (await stat(dirname(path)).catch(() => undefined));
  // Clocks of file systems tick coarsely.
  return info !== undefined && info.ctimeMs >= since - 20;
}

async function describe(
  input: GuardInput,
  { root }: OutsidePlace,
  before: Outside,
  strays: readonly Stray[],
  redact: Redact,
): Promise<StrayedRun> {
  const report = join(input.dir, 'strayed.diff');
  await writeAtomically(join(input.dir, 'config.before'), before.config, 0o600);
  await writeAtomically(report, redact(await diffs(root, strays)));
  const shown = strays.slice(0, 5).map(({ what }) => redact(what));
  const more = strays.length > 5 ? [`did ${strays.length - 5} more things, all in the report`] : [];
  const commands = strays.flatMap(({ look, undo }) => [look && `look: ${look}`, undo && `take back: ${undo}`]);
  const lines = [
    `The agent left its worktree: it ${[...shown, ...more].join('; it ')}.`,
    `What changed: less '${report}'`,
    ...commands.filter((line) => line !== undefined),
    'Its own work has not landed and goes on once you answer.',
  ];
  return { what: shown, question: redact(lines.join('\n')).slice(0, LONGEST_QUESTION), report };
}

/** Commits as diffs, and what is uncommitted in the checkout; bounded. */
async function diffs(root: string, strays: readonly Stray[]): Promise<string> {
  const parts: string[] = [];
  for (const { what, look, undo, diff } of strays) {
    parts.push(`# it ${what}`, ...(look ? [`# look: ${look}`] : []), ...(undo ? [`# take back: ${undo}`] : []));
    if (diff) parts.push(await shown(root, ['diff', '--no-ext-diff', '--no-textconv', ...diff, '--']));
  }
  parts.push(
    '# uncommitted in your checkout',
    await shown(root, ['diff', '--no-ext-diff', '--no-textconv', 'HEAD', '--']),
  );
  return `${parts.join('\n')}\n`.slice(0, LONGEST_DIFF);
}

const shown = (root: string, args: readonly string[]): Promise<string> =>
  git(root)
    .run(args, { read: true })
    .catch(() => '(cannot be shown)');
