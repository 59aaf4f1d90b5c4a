/**
 * Git commands of a killed job process. A new job process ends those that only read, or wait at a named pipe for ever.
 * It waits for all others before it works, because a git that still cleans or fills a worktree would disturb the next
 * agent.
 * Invariant: ends and waits only for git, only for dead job processes of its own project, and for a bounded time. Says
 * what it ends and what it waits for. Linux only; elsewhere it does neither.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { signalIdentity, terminate } from '../../process/identity.js';
import { findLeftGit, type LeftGit, type Place } from '../../process/left-git.js';
import { descendantsOf, processTable } from '../../process/table.js';

const LOOK_MS = 100;
/** Longer than any checkout should take, so that a hanging git does not block the worker for ever. */
const LONGEST_MS = 5 * 60_000;
/** A shorter wait is nobody's concern. */
const TELL_AFTER_MS = 2000;
const KILL_GRACE_MS = 2000;

type Say = (text: string, git: Pick<LeftGit, 'pid' | 'command'>) => void;

/** Resolves once no git of a dead job process of this project runs, or after `longestMs`. */
export async function orphansGone(place: Place, say: Say = () => undefined, longestMs = LONGEST_MS): Promise<void> {
  const begun = performance.now();
  const told = new Set<number>();
  for (;;) {
    const left = await findLeftGit(place);
    if (left.length === 0) return;
    const waited = performance.now() - begun;
    for (const git of left) {
      if (git.endable) await end(git, say);
      else if (waited > longestMs) say('works beside a git that a killed job process left', git);
      else if (waited > TELL_AFTER_MS && !told.has(git.pid)) {
        told.add(git.pid);
        say('waits for a git that a killed job process left', git);
      }
    }
    if (waited > longestMs) return;
    await delay(LOOK_MS);
  }
}

async function end(git: LeftGit, say: Say): Promise<void> {
  try {
    // Filters that it started would go on without it.
    const started = descendantsOf(new Set([git.pid]), await processTable());
    await terminate(git, KILL_GRACE_MS);
    await Promise.all(started.map((one) => signalIdentity(one, 'SIGTERM')));
    say('ended a git that a killed job process left', git);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), git);
  }
}
