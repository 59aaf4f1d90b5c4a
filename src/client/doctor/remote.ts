/** Checks the remote of `landing.mode: push`: its settings, whether it answers, and whether it would take a push. */
import type { Config } from '../../config/schema/config.js';
import { isAncestor, lookAtRemote, removedText, Unreachable } from '../../git/delivery/look.js';
import { pushTarget } from '../../git/delivery/push.js';
import { openRemote, recordRemote } from '../../git/delivery/remote.js';
import { targetTip } from '../../git/repository.js';
import { forgeOf } from '../../jobs/review/open.js';
import type { Context } from '../context.js';
import { notPushedText } from '../plan/remote.js';
import { type Check, fail, ok, problem, warn } from './check.js';

const WHAT = 'remote';

export async function checkRemote(
  { env }: Pick<Context, 'env'>,
  root: string,
  config: Config,
  target: string,
): Promise<Check[]> {
  const { landing } = config;
  if (landing.mode === 'pr') return [await checkForge({ env }, root, config, target)];
  if (landing.mode !== 'push') return [];
  try {
    const record = await recordRemote(root, { name: landing.remote, branch: target });
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
          `git pull --rebase ${record.name} ${target}`,
        ),
      ];
    const open = await notPushedText(root, target, record);
    if (open !== undefined) return [warn(WHAT, open, 'ralphctl sync')];
    return [
      ok(WHAT, `${to} answers and takes a push${behind ? '; it has newer commits, which a run takes over first' : ''}`),
    ];
  } catch (error) {
    if (error instanceof Unreachable)
      return [fail(WHAT, `${landing.remote} cannot be reached: ${error.message}`, `git ls-remote ${landing.remote}`)];
    return [problem(WHAT, error, 'set landing.remote: in ralphctl.yaml')];
  }
}

/** Whether `gh` is logged in, and may push branches to the repository. */
async function checkForge({ env }: Pick<Context, 'env'>, repo: string, config: Config, target: string): Promise<Check> {
  const what = 'pull requests';
  try {
    const remote = await recordRemote(repo, { name: config.landing.remote, branch: target });
    const gh = forgeOf({ env, root: '', host: '' }, { file: { config, remote, repo } });
    const { owner, name } = gh.repo;
    const found = await gh.get<{ permissions?: { push?: boolean }; allow_auto_merge?: boolean; archived?: boolean }>(
      '',
    );
    if (!found)
      return fail(what, `${owner}/${name} is not there for this login`, 'gh auth status, or set landing.pr.repo');
    if (!found.permissions?.push) return fail(what, `this login may not push to ${owner}/${name}`, 'gh auth login');
    if (found.archived) return fail(what, `${owner}/${name} is archived`, 'unarchive it, or set landing.pr.repo');
    const branch = await gh.get<{ protected?: boolean }>(`branches/${encodeURIComponent(target)}`);
    if (!branch)
      return fail(what, `${owner}/${name} has no branch ${target}`, `git push ${remote.name} ${target}, or set target`);
    const { autoMerge } = config.landing.pr;
    // The forge shows this setting to those who may change it only.
    if (autoMerge !== 'off' && found.allow_auto_merge === false)
      return fail(
        what,
        `${owner}/${name} does not allow auto-merge`,
        'allow it in the settings of the repository, or set landing.pr.autoMerge: off',
      );
    if (autoMerge !== 'off' && !branch.protected)
      return warn(
        what,
        `${target} of ${owner}/${name} is not protected, so landing.pr.autoMerge merges without a check or review`,
        'protect it, or set landing.pr.autoMerge: off',
      );
    const rules = branch.protected ? 'protected: its rules decide about merges' : 'not protected';
    return ok(what, `${owner}/${name}, onto ${target} (${rules})`);
  } catch (error) {
    return problem(what, error, 'gh auth login, or set landing.pr.repo');
  }
}
