/** Checks the remote of a project that pushes: its settings, whether it answers, and whether it would take a push. */

import type { Config } from '../../config/schema/config.js';
import { isAncestor } from '../../git/ancestry.js';
import { lookAtRemote, removedText, Unreachable } from '../../git/delivery/look.js';
import { pushTarget } from '../../git/delivery/push.js';
import { openRemote, type RemoteRecord, recordRemote } from '../../git/delivery/remote.js';
import { targetTip } from '../../git/repository.js';
import type { Context } from '../context.js';
import { notPushedText } from '../plan/remote.js';
import { type Check, fail, ok, problem, warn } from './check.js';
import { type About, checkPulls, checkRules } from './forge.js';

const WHAT = 'remote';

export async function checkRemote(
  { env }: Pick<Context, 'env'>,
  root: string,
  config: Config,
  target: string,
): Promise<Check[]> {
  const { landing } = config;
  const about = { env, root, config, target };
  if (landing.mode === 'pr') return checkPulls(about);
  if (landing.mode !== 'push') return [];
  try {
    const record = await recordRemote(root, { name: landing.remote, branch: target, mode: 'push' });
    return [...(await checkPush(about, record)), ...(await checkRules(about, record))];
  } catch (error) {
    if (error instanceof Unreachable)
      return [fail(WHAT, `${landing.remote} cannot be reached: ${error.message}`, `git ls-remote ${landing.remote}`)];
    return [problem(WHAT, error, 'set landing.remote: in ralphctl.yaml')];
  }
}

/** @throws Unreachable */
async function checkPush({ env, root, config, target }: About, record: RemoteRecord): Promise<Check[]> {
  const { landing } = config;
  const remote = await openRemote({ root, record, env, passEnv: landing.passEnv });
  const to = `${record.name}/${target} (${record.shown})`;
  const fix = `try it yourself: git push --dry-run ${record.name} ${target}`;
  const local = await targetTip(root, target);
  const { tip: there, removed } = await lookAtRemote(remote, target);
  if (removed) {
    const { what, fix } = removedText(record, target, removed);
    return [warn(WHAT, what, fix)];
  }
  const behind = there !== undefined && there !== local && (await isAncestor(root, local, there));
  const apart = there !== undefined && !behind && !(await isAncestor(root, there, local));
  // git asks for permission only where it would move the branch; the commit that is there moves nothing.
  const commit = behind || apart ? there : local;
  const tried = await pushTarget(remote, { target, commit, expected: there, dryRun: true });
  if (tried.kind !== 'pushed') return [fail(WHAT, `${to}: ${tried.why}`, fix)];
  if (apart)
    return [
      warn(
        WHAT,
        `${to} and ${target} here each have commits that the other lacks`,
        `git pull --no-rebase ${record.name} ${target}`,
      ),
    ];
  const open = await notPushedText(root, target, record);
  if (open !== undefined) return [warn(WHAT, open, 'ralphctl sync')];
  return [
    ok(WHAT, `${to} answers and takes a push${behind ? '; it has newer commits, which a run takes over first' : ''}`),
  ];
}
