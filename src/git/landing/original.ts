/** A landing as ralphctl made it, also where no branch contains it any more. Reads no working tree, moves no ref. */
import { git } from '../runner.js';
import { isWithin } from '../within.js';
import type { Target } from './brought-back.js';
import { changedPaths } from './checkout.js';
import { type LineCommit, namedIdeas, PINNED_LOG } from './first-parents.js';
import type { Landing } from './landed.js';
import { type Left, whatIsLeft } from './left.js';

/** `commit`: its last one. Undefined: it began with the repository. */
export async function originalOf(repo: string, idea: string, commit: LineCommit): Promise<Landing | undefined> {
  const from = await beginOf(repo, idea, commit);
  if (from === undefined) return undefined;
  const args = ['log', '--topo-order', '-z', '--format=%H %s', `${from}..${commit.sha}`, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  const all = stdout.split('\0').filter(Boolean);
  const commits = all.map((one) => one.split(' ', 1)[0] ?? '');
  const subjects = all.map((one) => one.slice(one.indexOf(' ') + 1));
  return { from, to: commit.sha, commits, subjects, apart: true };
}

/** Where a landing of several commits begins. */
async function beginOf(repo: string, idea: string, { sha, parent }: LineCommit): Promise<string | undefined> {
  const args = ['log', '--first-parent', '-n', '200', '-z', '--format=%H%n%B', sha, '--'];
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG });
  const before = stdout.split('\0').find((record) => {
    const end = record.indexOf('\n');
    return !namedIdeas(record.slice(end + 1)).landed.includes(idea);
  });
  return before?.slice(0, before.indexOf('\n')) ?? parent;
}

export interface Work {
  /** Its files outside the backlog; all, where it changed nothing else. */
  paths: readonly string[];
  /** How much of it is in a commit. */
  left: (commit: string) => Promise<Left>;
}

export async function workOf({ repo, backlogPath }: Target, { from, to }: Landing): Promise<Work> {
  const all = await changedPaths(repo, from, to);
  const outside = all.filter((path) => !isWithin(path, backlogPath));
  return { paths: outside.length > 0 ? outside : all, left: await whatIsLeft(repo, { from, to, apart: true }) };
}
