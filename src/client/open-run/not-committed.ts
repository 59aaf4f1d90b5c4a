/**
 * Open ideas of a backlog whose lines are not committed on the target. A landing ticks the target's file inside its commit,
 * and never writes a tracked file of the checkout, so it cannot tick these.
 * Invariant: reads only.
 */
import { join, relative } from 'node:path';
import { readBeside } from '../../backlog/beside.js';
import { FORMATS } from '../../backlog/formats/registry.js';
import { Source } from '../../backlog/formats/source.js';
import { BacklogError, readBacklog } from '../../backlog/index.js';
import { listFiles } from '../../git/checkout-index.js';
import { checkoutsBehind } from '../../git/landing/behind.js';
import { landedCommits } from '../../git/landing/landed.js';
import { fileIn } from '../../git/landing/tick.js';
import { git } from '../../git/runner.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { knownIdeas, loadRun } from '../../run-files/run.js';
import { placeInRepository, repositoryPath } from '../../run-files/ticks.js';
import type { Context } from '../context.js';

export interface Backlog {
  root: string;
  target: string;
  file: string;
  format?: FormatName | undefined;
}

/** The target's version of the backlog; undefined when the file is outside the repository, missing or not readable. */
export async function ideasOnTarget(backlog: Backlog): Promise<Idea[] | undefined> {
  const found = await onTarget(backlog);
  return found && 'ideas' in found ? found.ideas : undefined;
}

/** `problem`: why the version that is there cannot be read, with the fix where there is one. */
type Version = { ideas: Idea[] } | { problem: string };

/** Of the file that a landing ticks. */
async function onTarget({ target, ...backlog }: Backlog): Promise<Version | undefined> {
  const path = await placeInRepository(backlog.root, backlog.file);
  return path === undefined ? undefined : versionAt(`refs/heads/${target}`, backlog, path);
}

/** The version of a commit. */
export async function ideasAt(
  commit: string,
  { root, file, format }: Omit<Backlog, 'target'>,
): Promise<Idea[] | undefined> {
  const path = repositoryPath(root, file);
  if (path === undefined) return undefined;
  const found = await versionAt(commit, { root, file, format }, path);
  return found && ('ideas' in found ? found.ideas : []);
}

async function versionAt(
  commit: string,
  { root, file, format }: Omit<Backlog, 'target'>,
  path: string,
): Promise<Version | undefined> {
  if (format === 'backlog-md') return { ideas: await tasksAt(commit, { root, file }, path) };
  const found = await fileIn(root, commit, path);
  if (!found || 'problem' in found) return found;
  return readBacklog(file, { text: found.text, format }).catch((error: unknown) => {
    if (!(error instanceof BacklogError)) throw error;
    return { problem: problemText(error) };
  });
}

function problemText({ problems }: BacklogError): string {
  const [first] = problems;
  if (!first) return 'it is not valid';
  const { line, message, fix } = first;
  return `${line > 0 ? `line ${line}: ` : ''}${message}${fix === undefined ? '' : `; ${fix}`}`;
}

/** A folder of task files: its ideas, file by file. */
async function tasksAt(commit: string, { root, file }: Pick<Backlog, 'root' | 'file'>, path: string): Promise<Idea[]> {
  const run = git(root);
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '--', path];
  const listed = await run.result(args, { ok: [0, 128], read: true });
  const found: Idea[] = [];
  for (const name of listed.stdout.split('\0').filter((one) => one.endsWith('.md'))) {
    const text = await run.result(['cat-file', 'blob', `${commit}:${name}`], { ok: [0, 128], read: true });
    if (text.code !== 0) continue;
    const source = new Source(join(root, name), text.stdout, await readBeside(FORMATS['backlog-md'], join(file, 'x')));
    found.push(...(await FORMATS['backlog-md'].parse(source)).ideas);
  }
  return found;
}

/** Ideas that a landing cannot tick. */
export interface NotCommitted {
  ids: string[];
  /** Why the target's version, which exists, tells nothing of them. */
  problem?: string;
}

/** Of `ideas`. ralphctl ticks a file that git does not track in its place. */
export async function notCommitted(backlog: Backlog, ideas: readonly Idea[]): Promise<NotCommitted> {
  const { root, file } = backlog;
  const path = await placeInRepository(root, file);
  if (path === undefined) return { ids: [] };
  if ((await listFiles(root, '--', `:(literal)${path}`)).length === 0) return { ids: [] };
  const found = await onTarget(backlog);
  const known = new Set(found && 'ideas' in found ? found.ideas.map(({ id }) => id) : []);
  const ids = ideas.filter(({ id, done, blue }) => !done && !blue && !known.has(id)).map(({ id }) => id);
  return { ids, ...(found && 'problem' in found ? { problem: found.problem } : {}) };
}

const MOST_NAMED = 5;
const named = (ids: readonly string[]): string =>
  ids.length > MOST_NAMED
    ? `${ids.slice(0, MOST_NAMED).join(', ')} and ${ids.length - MOST_NAMED} more`
    : ids.join(', ');

export function notCommittedLines({ root, target, file }: Backlog, { ids, problem }: NotCommitted): string[] {
  if (ids.length === 0) return [];
  const path = relative(root, file);
  const [land, lines] = ids.length === 1 ? ['it lands', 'its line'] : ['they land', 'their lines'];
  if (problem !== undefined)
    return [
      `${path} on ${target} cannot be read: ${problem}. When ${named(ids)} ${ids.length === 1 ? 'lands' : 'land'}, it may stay without ${lines === 'its line' ? 'a tick' : 'ticks'}. Fix it on ${target} before, then: git commit ${path}`,
    ];
  return [
    `${path} on ${target} does not contain ${named(ids)}: when ${land}, nothing ticks ${lines}. Commit it on ${target} before: git commit ${path}`,
  ];
}

/** Lists landed ideas that ralphctl could not tick. Never fails the end of a run. */
export async function untickedAtEnd(context: Context, ref: RunRef): Promise<string[]> {
  try {
    const { file } = await loadRun(context.root, ref);
    if (!file.tick || !file.config.landing.tick) return [];
    const backlog = { root: file.repo, target: file.target, ...file.backlog };
    const [{ ideas }, known, landed] = await Promise.all([
      readBacklog(backlog.file, { format: backlog.format }),
      knownIdeas(context.root, ref),
      landedCommits(backlog.root, backlog.target, repositoryPath(backlog.root, backlog.file)),
    ]);
    const over = ideas.filter(({ id }) => known.has(id) && landed.has(id));
    const left = await notCommitted(backlog, over);
    return left.ids.length === 0 ? [] : [await untickedLine(backlog, left)];
  } catch {
    return [];
  }
}

/** A commit in a checkout that lags would revert the ticks of other ideas. */
async function untickedLine({ root, target, file }: Backlog, { ids, problem }: NotCommitted): Promise<string> {
  const path = relative(root, file);
  if (problem !== undefined)
    return `${named(ids)} landed, and may have no tick in ${path}: on ${target} it cannot be read: ${problem}. Fix it there, then commit`;
  const [lines, them] = ids.length === 1 ? ['its line was', 'it'] : ['their lines were', 'them'];
  const fix =
    (await checkoutsBehind(root, target)).length === 0
      ? `Tick ${them} there, then commit`
      : `First run: ralphctl sync. Then tick ${them} there and commit`;
  return `${named(ids)} landed without a tick in ${path}, as ${lines} not committed. ${fix}`;
}
