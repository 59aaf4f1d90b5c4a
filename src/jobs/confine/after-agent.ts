/** Clears what an ended agent left for git outside to follow, with the tips that ralphctl noted. */
import { sandboxOf } from '../../config/schema/sandbox.js';
import { clearWhatGitFollows } from '../../git/confinement/after-agent.js';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import { notedTip } from '../../git/confinement/own-branch.js';
import type { RunAgentInput } from '../../protocol/agent-run.js';
import type { LoadedRun } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { wallOf } from './walls.js';

/** `since`: where the worktree stood before the run. */
export async function clearAfterAgent(
  deps: WorkDeps,
  run: LoadedRun,
  { worktree, branch, idea }: RunAgentInput,
  since?: string,
): Promise<OutOfBoundsChange[]> {
  const wall = await wallOf(deps, run);
  const prefix = branch.slice(0, -idea.length);
  const tipOf = async (name: string): Promise<string | undefined> =>
    (await notedTip(wall, name.slice(prefix.length))) ?? (name === branch ? since : undefined);
  return clearWhatGitFollows({ worktree, branch, sandboxed: sandboxOf(run.file.config).mode !== 'off', tipOf });
}
