/**
 * The remote's part in a landing: its commits come first, and nothing secret is landed that a push would send away.
 * Invariant: a remote that cannot be asked never stops a landing; its push is tried later. An idea's branch takes no
 * commit along that is neither on the remote nor the idea's own.
 */

import { isAncestor } from '../../git/ancestry.js';
import { followRemote } from '../../git/delivery/follow.js';
import {
  headText,
  type Look,
  lastKnown,
  lookAtRemote,
  type Removed,
  removedText,
  renamedText,
} from '../../git/delivery/look.js';
import { openRemote } from '../../git/delivery/remote.js';
import { unpushedSince } from '../../git/delivery/unpushed.js';
import { RepositoryError } from '../../git/errors.js';
import type { Upstream } from '../../git/landing/target-lock.js';
import { secretFinder } from '../../process/redact.js';
import type { LoadedRun } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { findLeak, leakText } from './secrets.js';

interface Asked {
  /** The backlog inside the repository. */
  place: string | undefined;
  /** Only a landing sends something away. */
  work: 'landing' | 'undo' | 'open';
  /** It goes on top of another idea's pull request: the target has no part in it. */
  stacked?: boolean;
  signal?: AbortSignal;
}

/** Undefined: the run does not push. */
export function upstreamOf(
  deps: WorkDeps,
  { file }: Pick<LoadedRun, 'file'>,
  { place, work, stacked, signal }: Asked,
): Upstream | undefined {
  const { repo, target, remote: record, config } = file;
  if (!record) return undefined;
  const opensPull = config.landing.mode === 'pr' && work === 'landing';
  const { passEnv, secretsAllowed } = config.landing;
  const access = { root: repo, record, env: deps.env, passEnv, ...(signal ? { signal } : {}) };
  let seen: string | undefined;
  /** Undefined: it cannot be asked. */
  const ask = async (): Promise<Look | undefined> => {
    try {
      return await lookAtRemote(await openRemote(access), target);
    } catch {
      // The push after the landing says why.
      signal?.throwIfAborted();
      return undefined;
    }
  };
  /** An idea's branch would bring back what somebody removed. With mode push, the push says so after the landing. */
  const refuse = (removed: Removed): never => {
    const { what, fix } = removedText(record, target, removed);
    throw new RepositoryError(`${target} here does not fit the remote: ${what}.`, fix);
  };
  const from = `${record.name}/${record.branch}`;
  /** An idea's branch stands on the target here, so it would send these commits away, and the pull request show them. */
  const refuseOwn = async (there: string | undefined, here: string): Promise<void> => {
    if (!opensPull || there === undefined || (await isAncestor(repo, here, there))) return;
    const { commits, ideas, foreign } = await unpushedSince(repo, there, here);
    const newest = foreign
      ? `${foreign.commit.slice(0, 10)} ${foreign.subject.slice(0, 60)}`
      : ideas.slice(0, 3).join(', ');
    const [has, them] = commits === 1 ? ['1 commit', 'it'] : [`${commits} commits`, 'them'];
    throw new RepositoryError(
      `${target} here has ${has} (${newest}) that ${from} lacks, and the pull request would take ${them} along.`,
      `Send ${them} first: git push ${record.name} ${target}. Or set ${them} aside, in a checkout of ${target}: git branch my-${target}; git reset --keep ${from}`,
    );
  };
  const refuseLeak = async ({ dir, from: onto, to }: Parameters<Upstream['admits']>[0]): Promise<void> => {
    const leak = await findLeak({ dir, from: onto, to, find: secretFinder(deps.env), allowed: secretsAllowed });
    if (leak)
      throw new RepositoryError(
        `${leakText(leak)}, and landing.mode: ${config.landing.mode} would send it to ${record.name}.`,
        'Take it out of the branch’s commits (git rebase -i in its worktree), or allow the file in landing.secretsAllowed',
      );
  };
  if (stacked) return { follow: async () => undefined, admits: async (move) => refuseLeak(move).then(() => true) };
  return {
    follow: async (dir) => {
      const asked = await ask();
      seen = asked?.tip;
      if (asked?.removed && config.landing.mode === 'pr') refuse(asked.removed);
      if (asked && seen === undefined && opensPull)
        throw new RepositoryError(
          `${record.name} has no branch ${record.branch}${headText(asked.head)}, and a pull request needs it.`,
          `Make it there: git push ${record.name} ${target}. ${renamedText(record.name, target, asked.head)}`,
        );
      if (seen === undefined) return;
      await followRemote({ repo, dir, target, tip: seen, from, backlogPath: place });
      await refuseOwn(seen, `refs/heads/${target}`);
    },
    admits: async (move) => {
      const { from: onto } = move;
      await refuseLeak(move);
      const now = (await ask())?.tip;
      // A push of an earlier landing may have moved it.
      if (now !== undefined && now !== seen && !(await isAncestor(repo, now, onto))) return false;
      // It could not be asked before, or not now, and can be once the branch is pushed.
      await refuseOwn(now ?? (await lastKnown(repo, record, target)), onto);
      return true;
    },
  };
}
