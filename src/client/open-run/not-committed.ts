/**
 * Open ideas of a backlog whose lines are not committed on the target. A landing ticks the target's file inside its commit,
 * and never writes a tracked file of the checkout, so it cannot tick these.
 * Invariant: reads only.
 */
import { join, relative } from 'node:path';
import { readBeside } from '../../backlog/beside.js';
import { FORMATS } from '../../backlog/formats/registry.js';
import { Source } from '../../backlog/formats/source.js';
import { readBacklog } from '../../backlog/index.js';
import { checkoutsBehind } from '../../git/landing/behind.js';
import { landedCommits } from '../../git/landing/landed.js';
import { git } from '../../git/runner.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { knownIdeas, loadRun } from '../../run-files/run.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { Context } from '../context.js';

export interface Backlog {
  root: string;
  target: string;
  file: string;
  format?: FormatName | undefined;
}

/** The target's version of the backlog; undefined when the file is outside the repository or missing. */
export const ideasOnTarget = ({ target, ...backlog }: Backlog): Promise<Idea[] | undefined> =>
  ideasAt(`refs/heads/${target}`, backlog);

/** The version of a commit. */
export async function ideasAt(
  commit: string,
  { root, file, format }: Omit<Backlog, 'target'>,
): Promise<Idea[] | undefined> {
  const path = repositoryPath(root, file);
  if (path === undefined) return undefined;
  if (format === 'backlog-md') return tasksAt(commit, { root, file }, path);
  const got = await git(root).result(['cat-file', 'blob', `${commit}:${path}`], {
    ok: [0, 128],
    read: true,
  });
  if (got.code !== 0) return undefined;
  return readBacklog(file, { text: got.stdout, format }).then(
    ({ ideas }) => ideas,
    () => [],
  );
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

/** Ids of `ideas` that a landing cannot tick. ralphctl ticks a file that git does not track in its place. */
export async function notCommitted(backlog: Backlog, ideas: readonly Idea[]): Promise<string[]> {
  const { root, file } = backlog;
  const path = repositoryPath(root, file);
  if (path === undefined) return [];
  const tracked = await git(root).run(['ls-files', '--', `:(literal)${path}`], { read: true });
  if (tracked.trim() === '') return [];
  const known = new Set((await ideasOnTarget(backlog))?.map(({ id }) => id));
  return ideas.filter(({ id, done, blue }) => !done && !blue && !known.has(id)).map(({ id }) => id);
}

const MOST_NAMED = 5;
const named = (ids: readonly string[]): string =>
  ids.length > MOST_NAMED
    ? `${ids.slice(0, MOST_NAMED).join(', ')} and ${ids.length - MOST_NAMED} more`
    : ids.join(', ');

export function notCommittedLines({ root, target, file }: Backlog, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const path = relative(root, file);
  const [land, lines] = ids.length === 1 ? ['it lands', 'its line'] : ['they land', 'their lines'];
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
    const ids = await notCommitted(backlog, over);
    return ids.length === 0 ? [] : [await untickedLine(backlog, ids)];
  } catch {
    return [];
  }
}

/** A commit in a checkout that lags would revert the ticks of other ideas. */
async function untickedLine({ root, target, file }: Backlog, ids: readonly string[]): Promise<string> {
  const [lines, them] = ids.length === 1 ? ['its line was', 'it'] : ['their lines were', 'them'];
  const fix =
    (await checkoutsBehind(root, target)).length === 0
      ? `Tick ${them} there, then commit`
      : `First run: ralphctl sync. Then tick ${them} there and commit`;
  return `${named(ids)} landed without a tick in ${relative(root, file)}, as ${lines} not committed. ${fix}`;
}
