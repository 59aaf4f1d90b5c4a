/**
 * `ralphctl reset IDEA...` or `--all`: ideas that have not landed begin again as if no run had been. Their branches and
 * worktrees go, and all that a later run would carry over.
 * Invariant: works under the lock of the closed project, never while a run is open. Every commit and every uncommitted
 * file becomes a save first. What has landed stays. What still works for a run that has ended is ended where a person agrees.
 */

import { rm } from 'node:fs/promises';
import { runsDir } from '../../../config/paths.js';
import { landedIdeas } from '../../../git/landing/landed.js';
import { takenBack } from '../../../git/landing/taken-back.js';
import { branchRef, ideaBranch } from '../../../git/refs.js';
import { git } from '../../../git/runner.js';
import { forgetBranch } from '../../../git/saves/gone-branch.js';
import { listWorktrees, type WorktreeEntry } from '../../../git/worktrees/list.js';
import { worktreesOfIdeas } from '../../../git/worktrees/recycle.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { amendedIdeas, forget } from '../../../run-files/amendments.js';
import { allCarried, type Carried, recordOf, writeCarried } from '../../../run-files/carried.js';
import { repositoryPath } from '../../../run-files/ticks.js';
import { recordCommand } from '../../after-run/act.js';
import { type Closed, type ClosedIdea, closedIdea, runOf } from '../../after-run/closed.js';
import { worksNow } from '../../api/left-working.js';
import { type Context, findProject, print, printJson } from '../../context.js';
import { leftDoes } from '../../views/left-working-lines.js';
import { many } from '../../views/live-lines.js';
import { withProject } from '../steer/interventions.js';

export interface ResetOptions {
  all?: boolean;
  history?: boolean;
  dryRun?: boolean;
  /** End what still works for a run that has ended, without a question. */
  force?: boolean;
}

interface Found {
  idea: string;
  /** On its branch and not on the target. */
  commits?: number;
  worktree?: string;
  forgets: string[];
  /** What still works on it, for a run that was terminated. */
  works?: string;
}

export async function reset(context: Context, ideas: readonly string[], options: ResetOptions): Promise<number> {
  if (ideas.length === 0 && !options.all)
    throw new UserError('reset needs ideas, or --all. To see what it would do: ralphctl reset --all --dry-run');
  if (ideas.length > 0 && options.all) throw new UserError('name ideas, or use --all, not both');
  if (options.history && !options.all)
    throw new UserError('--history removes the files of whole runs, so it needs --all');
  return withProject(
    context,
    () => {
      throw new UserError('a run is open. End it first: ralphctl stop, or ralphctl abort', EXIT.refused);
    },
    (closed) => resetClosed(closed, ideas, options),
  );
}

export async function resetClosed(closed: Closed, ideas: readonly string[], options: ResetOptions): Promise<number> {
  const { context } = closed;
  for (const id of ideas) await closedIdea(closed, id);
  const all = await whatIsThere(closed);
  const chosen = options.all ? all : all.filter(({ idea }) => ideas.includes(idea));
  const ids = chosen.map(({ idea }) => idea);
  if (options.dryRun) await noteWorking(closed, chosen);
  else {
    const again = ['ralphctl reset', ...(options.all ? ['--all'] : ideas), ...(options.history ? ['--history'] : [])];
    await closed.left.end(ids, { agreed: options.force === true, force: `${again.join(' ')} --force` });
  }
  let refused = 0;
  for (const one of chosen) {
    try {
      const done = options.dryRun ? planned(one) : await resetOne(closed, one);
      if (context.json) printJson({ ...one, done, ...(options.dryRun ? { dryRun: true } : {}) });
      else print(done);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      refused += 1;
      if (context.json) printJson({ ...one, refused: error.message });
      else print(`refused: ${error.message}`);
    }
  }
  if (chosen.length === 0 && !context.json) print('there is nothing to reset: no branch, no worktree, no kept command');
  if (options.history) await dropHistory(closed, refused, options.dryRun === true);
  return refused > 0 ? EXIT.refused : EXIT.ok;
}

async function noteWorking({ left }: Closed, chosen: readonly Found[]): Promise<void> {
  const works = (await left.among(chosen.map(({ idea }) => idea))).filter(worksNow);
  for (const one of chosen) {
    const found = works.find(({ idea }) => idea === one.idea);
    if (found) one.works = leftDoes(found);
  }
}

/** Ideas with a branch, a worktree, a kept command or a change of a person, except what has landed. */
async function whatIsThere({ context, project, recorded, plan }: Closed): Promise<Found[]> {
  const { repository } = await findProject(context);
  const repo = repository.root;
  const target = recorded?.run.file.target ?? (await plan())?.target ?? repository.branch ?? 'HEAD';
  const backlogPath = recorded && repositoryPath(repo, recorded.run.file.backlog.file);
  const [worktrees, refs, marks, carried, changed, landed, off] = await Promise.all([
    listWorktrees(repo),
    git(repo).run(['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/ralph/'], { read: true }),
    git(repo).run(['for-each-ref', '--format=%(refname:lstrip=3)', branchRef('')], { read: true }),
    allCarried(context.root, project),
    amendedIdeas(context.root, project),
    landedIdeas(repo, target, backlogPath),
    takenBack({ repo, target, backlogPath, whole: true }).catch(() => []),
  ]);
  const branches = refs.split('\n').filter(Boolean);
  const deleted = marks.split('\n').filter((id) => id !== '' && !branches.includes(id));
  // On another branch since somebody renamed its own.
  const marked = deleted.length > 0 ? await worktreesOfIdeas(worktrees) : new Map<string, WorktreeEntry>();
  const records = new Map(carried.map((one) => [one.idea, one]));
  // What somebody took off the target may be queued again.
  const done = new Set(landed.filter((id) => !off.some(({ idea, stays }) => idea === id && stays)));
  const ids = [...new Set([...branches, ...deleted, ...records.keys(), ...changed])]
    .filter((id) => !done.has(id))
    .sort();
  return Promise.all(
    ids.map(async (idea) => {
      const branch = ideaBranch(idea);
      const worktree = (worktrees.find((one) => one.branch === branch) ?? marked.get(idea))?.path;
      const counted = branches.includes(idea)
        ? await git(repo).run(['rev-list', '--count', `refs/heads/${branch}`, `^refs/heads/${target}`], { read: true })
        : undefined;
      return {
        ...{ idea, forgets: forgotten(records.get(idea), changed.includes(idea), deleted.includes(idea)) },
        ...(counted === undefined ? {} : { commits: Number(counted) }),
        ...(worktree === undefined ? {} : { worktree }),
      };
    }),
  );
}

function forgotten(record: Carried | undefined, changed: boolean, deleted: boolean): string[] {
  const { abandoned, hints = [], retries = 0, kept = [] } = record ?? {};
  return [
    ...(abandoned ? ['that it is abandoned'] : []),
    ...(hints.length > 0 ? [many(hints.length, 'hint')] : []),
    ...(retries > 0 ? ['its retries'] : []),
    ...kept.map(({ verb }) => verb),
    ...(changed ? ['its edit or split'] : []),
    ...(deleted ? ['the branch that somebody deleted'] : []),
  ];
}

function planned({ idea, commits, worktree, forgets, works }: Found): string {
  const parts = [
    ...(works === undefined ? [] : [`asks first, because ${works} for a run that has ended, then ends it`]),
    ...(commits === undefined ? [] : [`saves and removes its branch (${many(commits, 'commit')})`]),
    ...(worktree === undefined ? [] : [`saves and removes ${worktree}`]),
    ...(forgets.length > 0 ? [`forgets ${forgets.join(', ')}`] : []),
  ];
  return `${idea}: ${parts.join('; ')}`;
}

async function resetOne(closed: Closed, { idea: id, commits, worktree, forgets }: Found): Promise<string> {
  const { context, project } = closed;
  const idea: ClosedIdea = await closedIdea(closed, id).catch(() => ({
    ...{ id, title: id },
    ...{ state: 'pending' as const, status: 'pending' as const },
  }));
  const did: string[] = [];
  if (commits !== undefined || worktree !== undefined) {
    if (!(await runOf(closed, id)))
      throw new UserError(
        `no run on this machine worked on ${id}, so its branch stays. Remove it by hand: git branch -D ${ideaBranch(id)}`,
        EXIT.refused,
      );
    const { cleanupNow, rollbackNow } = await import('../../after-run/git-now.js');
    const { saved } = await rollbackNow(closed, idea);
    const gone = await cleanupNow(closed, idea, false);
    const save = saved ?? gone.saved;
    did.push(`its branch${worktree ? ' and its worktree are' : ' is'} gone${save ? `, saved as ${save}` : ''}`);
  }
  const { kept: _, ...record } = await recordOf(context.root, project, id);
  await writeCarried(context.root, project, { version: 1, idea: record.idea });
  await forget(context.root, project, id);
  await forgetBranch((await findProject(context)).repository.root, id);
  if (forgets.length > 0) did.push(`forgotten: ${forgets.join(', ')}`);
  const done = `${id} was reset${did.length > 0 ? `: ${did.join('; ')}` : ''}`;
  await recordCommand(closed, idea, { verb: 'reset', done, status: 'pending' });
  return done;
}

/** Events, prompts and output of all runs. Saves are in git and stay. */
async function dropHistory({ context, project }: Closed, refused: number, dryRun: boolean): Promise<void> {
  if (refused > 0) throw new UserError('the history stays, because an idea was refused', EXIT.refused);
  const dir = runsDir(context.root, project);
  if (!dryRun) await rm(dir, { recursive: true, force: true });
  const done = dryRun ? `removes the files of all runs: ${dir}` : `the files of all runs are gone: ${dir}`;
  if (context.json) printJson({ history: dir, done });
  else print(done);
}
