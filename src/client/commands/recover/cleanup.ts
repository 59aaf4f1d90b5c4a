/** `ralphctl cleanup IDEA`: only this host's git knows whether there is a worktree, so a run is asked only where there is. */
import { worktreesDir } from '../../../config/paths.js';
import { noWorktree } from '../../../decide/run/git-tasks.js';
import { ideaBranch } from '../../../git/refs.js';
import { findOwn } from '../../../git/worktrees/adopt.js';
import { canonical, listWorktrees } from '../../../git/worktrees/list.js';
import type { Intervention } from '../../../protocol/command.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { loadRun } from '../../../run-files/run.js';
import type { Context } from '../../context.js';
import { knownIdea, type OpenRun, send, withRunOr } from '../steer/interventions.js';

export async function cleanup(context: Context, command: Intervention & { idea: string }): Promise<number> {
  const { idea, verb, force } = command;
  const act = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, idea, verb);
    if (!force && !(await hasWorktree(context, run, idea))) throw new UserError(noWorktree(idea), EXIT.refused);
    return send(context, run, command);
  };
  return withRunOr(context, act, command);
}

/** True also where it cannot be known: on another host, and where git does not answer. */
async function hasWorktree({ root }: Context, run: OpenRun, idea: string): Promise<boolean> {
  try {
    const { file } = await loadRun(root, run);
    const place = await canonical(file.config.worktrees.root ?? worktreesDir(root, run.project));
    const wanted = { root: place, branch: ideaBranch(idea), idea };
    return (await findOwn(wanted, await listWorktrees(file.repo))) !== undefined;
  } catch {
    return true;
  }
}
