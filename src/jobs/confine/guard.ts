/**
 * Watches the user's repository during an agent run; `evidence.ts` compares before and after. When the agent left its
 * worktree, the idea stops and asks a person. The question says what changed, how to inspect it and how to undo it.
 * Invariant: a change without evidence against this run stops nothing and appears in a notice. Without a change, the
 * check costs one process: the status of the checkout.
 */

import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import type { Outside, OutsidePlace } from '../../git/confinement/outside.js';
import { foreignMoves } from '../../git/confinement/own-branch.js';
import { TRACE_FILE, traceEnvironment } from '../../git/confinement/trace.js';
import { clearPipes } from '../../git/confinement/wall.js';
import { inspectRepository } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import { exists } from '../../git/worktrees/list.js';
import type { Redact } from '../../process/redact.js';
import type { OutOfBoundsRun } from '../../protocol/agent-run.js';
import { many } from '../../protocol/many.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { LONGEST_WARNING } from '../../protocol/warnings.js';
import { writeAtomically } from '../../run-files/run.js';
import { untoldActs } from './acts.js';
import { changedLately, differences, firstLook, namesOf, present, whoRan, whoRanSince } from './checkout-watch.js';
import { type Before, type GuardInput, look, readBefore, readPlace, type Seen } from './evidence.js';
import { indexNotices } from './index-notice.js';
import { tellOf, untoldChanges } from './ref-watch.js';
import { noticeOf, PUT_BACK } from './walls.js';

export interface Guard {
  /** No crash cut the previous attempt off, so an agent of this idea did not move the branch since its last run. */
  first: boolean;
  /** Variables for the agent that make git record its commands. */
  env: Record<string, string>;
  /** Call when the agent has ended, for any reason. */
  ended(): void;
  /**
   * Call after the run, before the idea's commit. Restores the branch where others moved it, and returns their changes
   * of branch and worktree; see `own-branch.ts` and `acts.ts`.
   */
  ownBranch(): Promise<OutOfBoundsChange[]>;
  /**
   * Call after the run; undefined when the agent kept to its worktree. `redact`: cleans the texts and the report.
   * `more`: changes to report as well.
   */
  check(redact?: Redact, more?: readonly OutOfBoundsChange[]): Promise<OutOfBoundsRun | undefined>;
  /** Call after `check`: a sentence about changes outside the worktree of unknown origin. */
  notice(redact?: Redact): Promise<string | undefined>;
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

const places = new Map<string, OutsidePlace>();

/** Call right before the agent starts. One check covers an interrupted attempt and its successor. */
export async function guard(input: GuardInput, enabled: boolean): Promise<Guard> {
  const place = places.get(input.repo) ?? (await locate(input.repo));
  places.set(input.repo, place);
  const index = await indexNotices(input, place);
  if (!enabled) {
    const notice = noticeOf(input);
    const looked = async (redact = asItIs) => {
      await index.look();
      return index.with(await notice(redact), [], redact);
    };
    return { ...NO_GUARD, notice: looked };
  }
  const files = { trace: join(input.dir, TRACE_FILE), before: join(input.dir, 'outside.json') };
  const seen = await readBefore(files.before);
  const before = seen ?? (await readPlace(place, input.worktree));
  if (!seen) await writeAtomically(files.before, JSON.stringify(before));
  await firstLook(place.root);
  const ended = present(place.root, input);
  let seenAfter: Seen = { outside: before.outside, outOfBounds: [], edited: [], broken: [] };
  const first = !seen && !(await wasCutOff(input.dir));
  return {
    first,
    env: traceEnvironment(files.trace),
    ended,
    notice: async (redact = asItIs) =>
      index.with(
        await noticed(input, place, before, seenAfter, redact, seen !== undefined),
        seenAfter.outOfBounds,
        redact,
      ),
    ownBranch: async () => {
      // Before any git: it would wait at one.
      if (input.wall) await clearPipes(input.wall);
      const begun = { head: before.head, tip: before.ideas?.[`refs/heads/${input.branch}`], trace: files.trace };
      const moves = await foreignMoves(input, begun);
      return input.wall ? [...moves, ...(await untoldActs(input.wall, place, input))] : moves;
    },
    check: async (redact = asItIs, more = []) => {
      // First: git looks at the checkout next.
      await index.look();
      seenAfter = await look(input, place, before, files.trace);
      const outOfBounds = [...seenAfter.outOfBounds, ...more];
      const report =
        outOfBounds.length > 0 ? await describe(input, place.root, before.outside, outOfBounds, redact) : undefined;
      if (!report) await Promise.all([rm(files.trace, { force: true }), rm(files.before, { force: true })]);
      return report;
    },
  };
}

/** True when the previous attempt left no result. */
async function wasCutOff(dir: string): Promise<boolean> {
  const before = join(dirname(dir), String(Number(basename(dir)) - 1).padStart(basename(dir).length, '0'));
  return (await exists(join(before, 'outside.json'))) && !(await exists(join(before, 'result.json')));
}

async function locate(repo: string): Promise<OutsidePlace> {
  const { root, gitDir, commonDir } = await inspectRepository(repo);
  return { root, gitDir, commonDir };
}

/** As git names it. */
async function pathIn(root: string, file: string): Promise<string> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file));
  return relative(await realpath(root).catch(() => root), join(folder, basename(file)));
}

/** One sentence with all changes of unknown origin; a file beside the run holds the diffs. */
async function noticed(
  { idea, runId, dir, wall, ownFile }: GuardInput,
  place: OutsidePlace,
  { at: since, outside: before }: Before,
  { outside: after, outOfBounds, edited, broken }: Seen,
  redact: Redact,
  again: boolean,
): Promise<string | undefined> {
  const { root } = place;
  const own = ownFile && (await pathIn(root, ownFile));
  const lately = await changedLately(root, { runId, since, own, again });
  const changed = lately.filter(({ path }) => !edited.includes(path));
  const said: string[] = [];
  if (changed.length > 0) {
    const report = join(dir, 'checkout.diff');
    await writeAtomically(report, redact(await differences(root, changed)));
    const who = whoRan(root, changed, idea);
    said.push(
      `in your checkout ${namesOf(changed)} changed while ${who} ran: by you, or by an agent that left its worktree. See: less ${shellQuoted(report)}`,
    );
  }
  const refs = await untoldChanges({ place, wall, runId, since, before, after, outOfBounds });
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
  const [first, ...others] = said.map(redact);
  // Whole sentences only: a command that is cut is of no use.
  const whole = others.reduce<string | undefined>(
    (text, one) => (text && text.length + one.length + 2 <= LONGEST_WARNING ? `${text}; ${one}` : text),
    first,
  );
  return whole?.slice(0, LONGEST_WARNING);
}

/* The question about an agent that left its worktree, and the report in the iteration's folder. */

const IF_YOURS = 'If you changed the settings or hooks yourself: pause the run, change them again, resume.';
const LONGEST_QUESTION = 1500;
/** Maximum size of a stored diff, bytes. */
const LONGEST_DIFF = 1 << 20;
export async function describe(
  { dir }: { dir: string },
  root: string,
  before: Outside,
  outOfBounds: readonly OutOfBoundsChange[],
  redact: Redact,
): Promise<OutOfBoundsRun> {
  const report = join(dir, 'strayed.diff');
  await writeAtomically(join(dir, 'config.before'), before.config, { mode: 0o600 });
  await writeAtomically(report, redact(await diffs(root, outOfBounds)));
  const shown = outOfBounds.slice(0, 5).map(({ what }) => redact(what));
  const commands = outOfBounds.flatMap(({ look, undo }) => [look && `look: ${look}`, undo && `take back: ${undo}`]);
  const lines = [
    ...headings(outOfBounds, redact),
    `What changed: less ${shellQuoted(report)}`,
    ...commands.filter((line) => line !== undefined),
    ...(outOfBounds.some(({ what }) => what.includes(PUT_BACK)) ? [IF_YOURS] : []),
    'Its own work has not landed. It resumes once you answer.',
  ];
  return { what: shown, question: redact(lines.join('\n')).slice(0, LONGEST_QUESTION), report };
}

function headings(outOfBounds: readonly OutOfBoundsChange[], redact: Redact): string[] {
  const own = outOfBounds.filter(({ byOthers, among }) => !byOthers && !among).map(({ what }) => redact(what));
  const unknown = outOfBounds.flatMap(({ what, among }) => (among ? [{ what: redact(what), among }] : []));
  const there = [...new Set(unknown.flatMap(({ among }) => among))];
  const others = outOfBounds.filter(({ byOthers }) => byOthers).map(({ what }) => redact(what));
  const more = own.length > 5 ? [`did ${many(own.length - 5, 'more thing')}, all in the report`] : [];
  return [
    ...(own.length > 0 ? [`The agent left its worktree: it ${[...own.slice(0, 5), ...more].join('; it ')}.`] : []),
    ...(unknown.length > 0
      ? [
          `While its agent ran, somebody ${unknown.map(({ what }) => what).join('; ')}. It is not known who: ${there.join(', ')} ran then, and a program or person beside them may have done it.`,
        ]
      : []),
    ...(others.length > 0 ? [`Somebody else changed the work of this idea: ${others.join('; ')}.`] : []),
  ];
}

/** Diffs of commits and of the checkout's uncommitted changes; bounded. */
async function diffs(root: string, outOfBounds: readonly OutOfBoundsChange[]): Promise<string> {
  const parts: string[] = [];
  for (const { what, look, undo, diff } of outOfBounds) {
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
