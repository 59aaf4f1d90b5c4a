/**
 * A person merged the branch of an idea while the idea had a question or rested.
 * Invariant: reads only. Commits of an earlier run do not count: an idea that runs again must change something.
 */
import { iterationDir } from '../../config/paths.js';
import { isAncestor } from '../../git/ancestry.js';
import { landedCommits } from '../../git/landing/landed.js';
import type { RunAgentInput } from '../../protocol/agent-run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { WorkDeps } from '../job.js';
import { readResult } from './result.js';

/** The newest commit of the target that has what the idea's agent committed earlier in this run; else undefined. */
export async function mergedBefore(
  { root }: Pick<WorkDeps, 'root'>,
  { repo, target, backlog }: RunFile,
  { project, runId, idea, serial }: RunAgentInput,
): Promise<string | undefined> {
  for (let earlier = serial - 1; earlier > 0; earlier -= 1) {
    const result = await readResult(iterationDir(root, project, runId, idea, earlier));
    if (!result || result.commits === 0) continue;
    const merged = await isAncestor(repo, result.head, `refs/heads/${target}`);
    // After a rollback the commits are still there.
    return merged ? (await landedCommits(repo, target, repositoryPath(repo, backlog.file))).get(idea) : undefined;
  }
  return undefined;
}
