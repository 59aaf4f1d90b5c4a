/** What a command about one idea says when no run is open: what became of the idea, and what does the same now. Reads only. */
import { ideaBranch } from '../git/names.js';
import { listWorktrees } from '../git/worktree-list.js';
import type { Command } from '../protocol/command.js';
import { listRuns } from '../runs/run-files.js';
import { noRun } from './api/run.js';
import type { Context } from './context.js';
import { EXIT } from './exit-codes.js';
import { statusWord } from './idea-lines.js';
import { recordedRun } from './recorded.js';
import { UserError } from './user-error.js';

export async function noRunFor({ root }: Context, project: string, { verb, idea }: Command): Promise<UserError> {
  const [newest] = idea === undefined ? [] : await listRuns(root, project);
  const recorded = newest === undefined ? undefined : await recordedRun(root, project, newest);
  const entry = recorded?.graph.entry(idea ?? '');
  if (!recorded || !entry || idea === undefined) return noRun();
  const said = (text: string): UserError =>
    new UserError(
      `no run is open. In the last one ${idea} ${entry.status === 'landed' ? 'landed' : `was: ${statusWord(entry.status)}`}. ${text}`,
      EXIT.noRun,
    );
  if (entry.status === 'landed') {
    if (verb === 'rollback' && entry.commit) return said(`Take it back with: git revert ${entry.commit.slice(0, 8)}`);
    return said(`Run it again with: ralphctl start --again ${idea}`);
  }
  if (verb === 'cleanup') {
    const found = (await listWorktrees(recorded.run.file.repo).catch(() => [])).find(
      (one) => one.branch === ideaBranch(idea),
    );
    return said(
      found
        ? `Its worktree goes with: git worktree remove ${found.path} (its branch ${found.branch} stays)`
        : 'It has no worktree',
    );
  }
  return said('A new run tries it again, and its work so far is kept: ralphctl start');
}
