/** Checks what a forge says of pull requests and of pushes, and whether the remote takes branches of ideas. */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { Config } from '../../config/schema/config.js';
import { Unreachable } from '../../git/delivery/look.js';
import { pushTarget } from '../../git/delivery/push.js';
import { openRemote, type RemoteRecord, recordRemote, saidOf } from '../../git/delivery/remote.js';
import { ideaBranch } from '../../git/refs.js';
import { targetTip } from '../../git/repository.js';
import type { Forge, ForgeFinding } from '../../jobs/review/forge.js';
import { forgeKind, hasForge } from '../../jobs/review/forge-kind.js';
import { forgeOf } from '../../jobs/review/open-forge.js';
import type { Context } from '../context.js';
import { type Check, fail, info, ok, problem, warn } from './check.js';

export interface About {
  env: Context['env'];
  root: string;
  config: Config;
  target: string;
}

const RULES = 'push rules';

const asCheck = (what: string, { state, found, fix }: ForgeFinding): Check =>
  state === 'ok' ? ok(what, found) : state === 'warn' ? warn(what, found, fix) : fail(what, found, fix);

const forgeFor = ({ env, root, config }: About, remote: RemoteRecord): Forge =>
  forgeOf({ env, root: '', host: '' }, { file: { config, remote, repo: root } });

/** `landing.mode: pr`: the program of the forge, and git's own login, which need not be the same. */
export async function checkPulls(about: About): Promise<Check[]> {
  const { root, config, target } = about;
  const { remote: name, pr } = config.landing;
  let program = 'gh';
  const checks: Check[] = [];
  try {
    const remote = await recordRemote(root, { name, branch: target, mode: 'pr' });
    if (forgeKind(pr, remote.shown) === 'gitlab') program = 'glab';
    const forge = forgeFor(about, remote);
    checks.push(asCheck('pull requests', await forge.check(target, name, pr.autoMerge)));
    checks.push(...(await rulesAgainst(() => forge, ideaBranch('doctor'), { own: true, config })));
  } catch (error) {
    checks.push(problem('pull requests', error, `${program} auth login, or set landing.pr.repo`));
  }
  return [...checks, ...(await checkBranches(about))];
}

/** A name that no idea has: nothing moves, also where somebody has pushed a branch of that name. */
async function checkBranches({ env, root, config, target }: About): Promise<Check[]> {
  const what = 'remote';
  const { remote: name, passEnv } = config.landing;
  try {
    const branch = ideaBranch(`doctor-${randomBytes(4).toString('hex')}`);
    const record = await recordRemote(root, { name, branch, mode: 'pr' });
    const remote = await openRemote({ root, record, env, passEnv });
    const folder = dirname(branch);
    const listed = await remote.run((to) => ['ls-remote', '--refs', to, `refs/heads/${folder}`], 'look');
    if (listed.code !== 0) throw new Unreachable(saidOf(listed));
    const to = `${name} (${record.shown})`;
    if (listed.stdout.trim() !== '')
      return [
        fail(
          what,
          `${to} has a branch named ${folder}, so it takes no branch ${folder}/IDEA`,
          `rename it there: git push ${name} ${name}/${folder}:refs/heads/${folder}-1 :${folder}`,
        ),
      ];
    const commit = await targetTip(root, target);
    const tried = await pushTarget(remote, { target, commit, expected: undefined, dryRun: true });
    if (tried.kind === 'pushed') return [ok(what, `${to} answers and takes branches ${folder}/IDEA`)];
    const fix = `try it yourself: git push --dry-run ${name} ${target}:refs/heads/${branch}`;
    return [fail(what, `${to} takes no branch of an idea from git's own login: ${tried.why}`, fix)];
  } catch (error) {
    // Without a remote, the check of pull requests has said so.
    if (!(error instanceof Unreachable)) return [];
    return [fail(what, `${name} cannot be reached: ${error.message}`, `git ls-remote ${name}`)];
  }
}

/** `landing.mode: push`: rules that only a real push meets. A plain remote has none. */
export async function checkRules(about: About, remote: RemoteRecord): Promise<Check[]> {
  const { config, target } = about;
  if (!hasForge(config.landing.pr, remote.shown)) return [];
  return rulesAgainst(() => forgeFor(about, remote), target, { own: false, config });
}

async function rulesAgainst(
  forge: () => Forge,
  branch: string,
  { own, config }: { own: boolean; config: Config },
): Promise<Check[]> {
  try {
    const found = await forge().againstPush(branch, { own, merges: config.landing.strategy === 'merge' });
    if (found) return [asCheck(RULES, found)];
    return own ? [] : [ok(RULES, `the forge has no rule against a push of ${branch}`)];
  } catch (error) {
    return [
      info(RULES, `the forge cannot be asked for them: ${error instanceof Error ? error.message : String(error)}`),
    ];
  }
}
