/**
 * A person merged the branch of an idea while the idea had a question or rested.
 * Invariant: reads only. What a revert or a rollback took off the target does not count, and neither do commits of an
 * earlier run: an idea that runs again must change something.
 */
import { iterationDir } from '../../config/paths.js';
import { isAncestor } from '../../git/ancestry.js';
import { landedCommits } from '../../git/landing/landed.js';
import { branchRef, readTip } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import type { RunAgentInput } from '../../protocol/agent-run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { WorkDeps } from '../job.js';
import { readResult } from './result.js';

/** The newest commit of the target that has what the idea's agent committed earlier in this run; else undefined. */
export async function mergedBefore(
  deps: Pick<WorkDeps, 'root'>,
  { repo, target, backlog }: RunFile,
  input: RunAgentInput,
  /** The tip of the idea's branch; the person may have rebased it. */
  head: string,
): Promise<string | undefined> {
  if (!(await hasCommitted(deps, input))) return undefined;
  const line = `refs/heads/${target}`;
  const began = await readTip(repo, branchRef(input.idea));
  if (began === undefined || !(await isAncestor(repo, head, line))) return undefined;
  const [own, since] = await Promise.all([pathsBetween(repo, began, head), pathsBetween(repo, head, line)]);
  const gone = new Set(since);
  // Whether the target still has the work as the branch has it.
  if (own.length === 0 || own.some((path) => gone.has(path))) return undefined;
  return (await landedCommits(repo, target, repositoryPath(repo, backlog.file))).get(input.idea) ?? head;
}

async function pathsBetween(repo: string, from: string, to: string): Promise<string[]> {
  const args = ['diff', '--name-only', '-z', '--no-renames', from, to, '--'];
  return (await git(repo).run(args, { read: true })).split('\0').filter(Boolean);
}

async function hasCommitted({ root }: Pick<WorkDeps, 'root'>, input: RunAgentInput): Promise<boolean> {
  const { project, runId, idea, serial } = input;
  for (let earlier = serial - 1; earlier > 0; earlier -= 1) {
    const result = await readResult(iterationDir(root, project, runId, idea, earlier));
    if (result && result.commits > 0) return true;
  }
  return false;
}
