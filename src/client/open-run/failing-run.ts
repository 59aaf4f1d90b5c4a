/** Messages about a run whose workflow fails: it is open, its worker runs, and nothing moves. */
import { join } from 'node:path';
import { projectDir } from '../../config/paths.js';
import { ideaBranch } from '../../git/refs.js';
import { listWorktrees } from '../../git/worktrees/list.js';
import type { Intervention } from '../../protocol/command.js';
import { listRuns } from '../../run-files/run.js';
import { noRun } from '../api/run.js';
import type { Context } from '../context.js';
import { EXIT, UserError } from '../errors.js';
import { statusWord } from '../views/idea-lines.js';
import { clean } from '../views/live-lines.js';
import { recordedRun } from '../views/recorded.js';

/** `failing`: first line of the error. */
export function failingLines(root: string, project: string, failing: string): [what: string, log: string, fix: string] {
  return [
    `its workflow fails, so nothing moves: ${clean(failing)}`,
    `the worker's log has the whole error: ${join(projectDir(root, project), 'logs')}`,
    'after an update or a fix: ralphctl worker --stop, then ralphctl start',
  ];
}

/* The error of a command about one idea when no run is open: the outcome of the idea, and what works now. Reads only. */

export async function noRunFor({ root }: Context, project: string, { verb, idea }: Intervention): Promise<UserError> {
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
    if (verb === 'rollback' && entry.commit) return said(`To take it back: git revert ${entry.commit.slice(0, 8)}`);
    return said(`To run it again: ralphctl start --again ${idea}`);
  }
  if (verb === 'cleanup') {
    const found = (await listWorktrees(recorded.run.file.repo).catch(() => [])).find(
      (one) => one.branch === ideaBranch(idea),
    );
    return said(
      found
        ? `To remove its worktree: git worktree remove ${found.path} (its branch ${found.branch} stays)`
        : 'It has no worktree',
    );
  }
  return said('A new run tries it again and keeps its work so far: ralphctl start');
}
