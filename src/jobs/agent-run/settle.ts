/** Moves an agent's work onto its idea's branch, and explains why work cannot count as complete. */
import type { AgentSpec } from '../../config/agent-spec.js';
import { commitMessage } from '../../git/landing/message.js';
import { linkText } from '../../git/worktrees/gitlinks.js';
import { type Settled, settleIteration } from '../../git/worktrees/settle.js';
import type { RunAgentInput } from '../../protocol/agent-run.js';
import type { Idea } from '../../protocol/idea.js';
import type { LoadedRun } from '../../run-files/run.js';
import { repositoryPath } from '../../run-files/ticks.js';

/** Moves the agent's work onto the idea's branch. On request, commits leftovers. */
export function settle(
  run: LoadedRun,
  idea: Idea,
  input: RunAgentInput,
  since: string,
  { commitNow, by }: { commitNow: boolean; by: AgentSpec },
): Promise<Settled> {
  const { type, hooks, sign } = run.file.config.commit;
  const { worktree, branch, base, agentName } = input;
  const message = commitMessage({
    title: idea.title,
    idea: idea.id,
    agentName,
    type,
    agent: by.name,
    model: by.model || undefined,
  });
  const commit = commitNow ? { message, hooks, sign } : undefined;
  // Only ralphctl ticks: boxes that an agent ticks would mark other ideas as done and cause conflicts in every landing.
  const backlog = repositoryPath(run.file.repo, run.file.backlog.file);
  const restore = backlog === undefined ? [] : [backlog];
  const { protect } = run.file.config.gate;
  return settleIteration({
    worktree,
    idea: idea.id,
    branch,
    base,
    since,
    restore,
    protect,
    history: run.file.config.landing.strategy !== 'squash',
    commit,
  });
}

/** A sentence about pipes that ralphctl removed from the worktree. */
export const pipesText = ({ pipes }: Settled): string | undefined =>
  pipes.length === 0
    ? undefined
    : `named pipes, sockets or devices were in the worktree where git reads files: ${some(pipes)}. Git waits there for ever, so ralphctl removed them and restored tracked files; make them outside the worktree, or under names that git does not read`;

export function whyUnfinished(settled: Settled): string | undefined {
  const { refused, nested = [], conflictMarkers, links, edited } = settled;
  const piped = pipesText(settled);
  if (piped) return piped;
  if (refused) return `the commit was refused: ${refused.slice(-1000)}`;
  if (nested.length > 0) {
    return `these folders hold git repositories of their own and are not committed: ${some(nested)}; remove their .git or ignore them`;
  }
  const linked = linkText(links);
  if (linked) return linked;
  if (edited.length > 0) {
    return `files inside submodules were changed, and no commit of this repository can contain that: ${some(edited)}; revert the changes, or ask for them in the repository of the submodule`;
  }
  return conflictMarkers.length > 0 ? `conflict markers are left in ${some(conflictMarkers)}` : undefined;
}

/** The result goes into workflow history, and ten names are enough for a person. */
function some(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${names.slice(0, 10).join(', ').slice(0, 1000)}${more}`;
}
