/**
 * Pushes the target to its remote.
 * Invariant: the remote's branch only moves forward, and only from the commit that ralphctl has seen there: a plain
 * refspec, a lease on that commit, and a check that the pushed commit contains it (git drops its own check under a
 * lease). A push that was cut off after the remote took it counts as pushed at the next look.
 */
import { isAncestor } from '../ancestry.js';
import { noteSeen } from './look.js';
import { type RemoteGit, saidOf } from './remote.js';

export type Pushed =
  | { kind: 'pushed' }
  /** Somebody else moved the branch there, as far as the answer tells. */
  | { kind: 'moved'; why: string }
  /** A hook, a protected branch or missing permission. */
  | { kind: 'rejected'; why: string }
  | { kind: 'unreachable'; why: string };

export interface PushInput {
  target: string;
  commit: string;
  /** The commit on the remote; undefined: the branch is new there. */
  expected: string | undefined;
  /** Asks the remote, and moves nothing. */
  dryRun?: boolean;
}

const QUIET = ['--porcelain', '--no-follow-tags', '--no-verify', '--recurse-submodules=no', '--no-signed'];

export async function pushTarget(remote: RemoteGit, input: PushInput): Promise<Pushed> {
  const { target, commit, expected, dryRun } = input;
  const { root, record } = remote;
  if (expected !== undefined && !(await isAncestor(root, expected, commit)))
    return { kind: 'moved', why: 'the remote has commits that are not here' };
  const ref = `refs/heads/${record.branch}`;
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const args = ['push', ...QUIET, ...(dryRun ? ['--dry-run'] : []), lease];
  const got = await remote.run((name) => [...args, name, `${commit}:${ref}`], dryRun ? 'look' : 'move');
  if (got.code === 0) {
    if (!dryRun) await noteSeen(root, record, target, { seen: commit, tracking: commit });
    return { kind: 'pushed' };
  }
  return refusalOf(got);
}

const MOVED = /cannot lock ref|reference already exists|failed to update ref|incorrect old value/;

/** Exported for its test. */
export function refusalOf(got: { stdout: string; stderr: string }): Exclude<Pushed, { kind: 'pushed' }> {
  const line = /^!\t[^\t]*\t\[(remote )?(?:rejected|failure|failed)\] ?(?:\((.*)\))?$/m.exec(got.stdout);
  if (!line) return { kind: 'unreachable', why: saidOf(got) };
  const [, byRemote, reason = ''] = line;
  if (!byRemote || MOVED.test(reason)) return { kind: 'moved', why: reason };
  const said = saidOf({ stderr: got.stderr.replace(/^error: failed to push some refs.*$/m, '') });
  return { kind: 'rejected', why: said === 'git said nothing' ? reason : `${reason}: ${said}` };
}
