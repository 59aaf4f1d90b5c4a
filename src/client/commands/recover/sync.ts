/**
 * `ralphctl sync`: updates checkouts that fell behind their branch when work landed, and keeps edits; pushes landed work
 * that did not reach the remote. Needs only git.
 */

import { configFolder, loadConfig } from '../../../config/load.js';
import type { Config } from '../../../config/schema/config.js';
import { heldAfterRun, heldText } from '../../../decide/delivery/push.js';
import { lastKnown } from '../../../git/delivery/look.js';
import { openRemote, type RemoteRecord } from '../../../git/delivery/remote.js';
import { notPushed, type Unpushed } from '../../../git/delivery/unpushed.js';
import { RepositoryError } from '../../../git/errors.js';
import { checkoutsBehind } from '../../../git/landing/behind.js';
import { rememberedTargets } from '../../../git/landing/lagging.js';
import { type Synced, syncCheckout } from '../../../git/landing/sync.js';
import { unfinishedTargets } from '../../../git/landing/sync-record.js';
import { realBranch } from '../../../git/real-branch.js';
import { secretFinder } from '../../../process/redact.js';
import { inOneLine } from '../../../protocol/escapes.js';
import { many } from '../../../protocol/many.js';
import { EXIT, type ExitCode, UserError } from '../../../protocol/user-error.js';
import { readable } from '../../../run-files/readable.js';
import { listRuns } from '../../../run-files/run.js';
import { type Context, findProject, type Project, print, printJson, say } from '../../context.js';
import { safeLines } from '../../output.js';
import { recordedRemote } from '../../plan/remote.js';
import { configOfRun } from '../../plan/run-config.js';
import { pushedText } from '../../plan/unpushed-text.js';
import { warnOnce } from '../../report/summaries.js';
import { isOpen } from '../steer/interventions.js';

export async function sync(context: Context, { conflicts = false }: { conflicts?: boolean }): Promise<number> {
  const project = await findProject(context);
  const { root } = project.repository;
  const targets = [...new Set([...(await rememberedTargets(root)), ...(await unfinishedTargets(root))])];
  const refused: RepositoryError[] = [];
  let synced = 0;
  for (const target of targets) {
    const tried = new Set<string>();
    for (;;) {
      const done = await syncCheckout(root, target, { conflicts, tried }).catch((error: unknown) => {
        if (!(error instanceof RepositoryError)) throw error;
        return error;
      });
      if (!done) break;
      if (done instanceof RepositoryError) refused.push(done);
      else {
        synced += 1;
        if (context.json) printJson({ kind: 'synced', target, ...done });
        else printSynced(target, done);
      }
    }
  }
  // One does not hold up the others.
  const last = refused.pop();
  for (const { message } of refused) say(message);
  if (last) throw last;
  // Worktrees whose folders are not there.
  const left = (await Promise.all(targets.map((target) => checkoutsBehind(root, target)))).flat();
  for (const problem of left) {
    if (context.json) printJson({ kind: 'behind', problem });
    else print(`! ${problem}`);
  }
  const pushed = await pushLanded(context, project);
  if (synced + left.length > 0 || pushed !== undefined) return pushed ?? EXIT.ok;
  if (context.json) printJson({ kind: 'level' });
  else print('every checkout is up to date with its branch');
  return EXIT.ok;
}

function printSynced(target: string, done: Synced): void {
  const { paths, merged } = done;
  if (paths.length > 0) print(`updated ${many(paths.length, 'file')} in ${done.checkout} to ${target}: ${some(paths)}`);
  if (merged.length > 0) print(`merged with your edits: ${some(merged)}`);
  if (done.conflicts.length > 0) {
    print(`resolve the conflict markers ("your edits" and "${target}") in: ${some(done.conflicts)}`);
    print('git does not mark these files as unmerged, so it does not stop you from committing the markers');
  }
  if (done.beside.length > 0) print(`the other version of a file or link is beside it: ${some(done.beside)}`);
  if (done.saved) print(`to get the state before as a branch: ${restoring(done.saved)}`);
  if (done.interrupted) print(`an earlier sync was interrupted; the state before it: ${restoring(done.interrupted)}`);
  if (done.half)
    print(`that sync seemed to have cut off ${some(done.half.paths)}; as they were: ${restoring(done.half.save)}`);
}

const restoring = (save: string): string => `ralphctl saves restore checkout ${save.split('/').at(-1) ?? ''}`;

interface Pushable {
  target: string;
  record: RemoteRecord;
  landing: Config['landing'];
}

/** Pushes landed work that the remote lacks. Undefined: nothing to push. */
async function pushLanded(context: Context, project: Project): Promise<ExitCode | undefined> {
  const { root } = project.repository;
  let code: ExitCode | undefined;
  for (const one of await pushable(context, project)) {
    const open = await notPushed(root, one.target, one.record);
    if (open) code = worse(code, await push(context, project, one, open));
  }
  return code;
}

const worse = (one: ExitCode | undefined, other: ExitCode): ExitCode => (one === EXIT.refused ? one : other);

/**
 * The target and the remote of the newest run, which `status` and `report` speak of, and those of the next run.
 * @throws UserError where the configuration cannot be read and no run tells
 */
async function pushable(context: Context, project: Project): Promise<Pushable[]> {
  const last = await ofLastRun(context, project.id);
  const next = await ofConfiguration(context, project).catch((error: unknown) => {
    if (!(error instanceof UserError) || !last) throw error;
    say(`warning: ${error.message}. ralphctl uses the settings of the last run`);
    return undefined;
  });
  const same = last && next && last.target === next.target && last.record.name === next.record.name;
  return [last, same ? undefined : next].filter((one) => one !== undefined);
}

async function ofLastRun({ root }: Context, project: string): Promise<Pushable | undefined> {
  // The settings of an older run are no permission to push.
  const [runId] = await listRuns(root, project);
  const ref = runId === undefined ? undefined : { project, runId };
  if (!ref || !(await readable(root, ref, warnOnce))) return undefined;
  const run = await configOfRun(root, ref).catch(() => undefined);
  if (!run?.file.remote || run.config.landing.mode !== 'push') return undefined;
  return { target: run.file.target, record: run.file.remote, landing: run.config.landing };
}

async function ofConfiguration(context: Context, { id, repository }: Project): Promise<Pushable | undefined> {
  const { root, branch } = repository;
  const { config } = await loadConfig(await configFolder(context.cwd, root));
  const wanted = config.target ?? branch;
  if (config.landing.mode !== 'push' || !wanted) return undefined;
  const target = await realBranch(root, wanted);
  const record = await recordedRemote(root, target, config);
  if (!record) return undefined;
  // A branch that a person is on by chance is theirs, and a new one on the remote would publish it.
  const known = config.target !== undefined || (await lastKnown(root, record, target)) !== undefined;
  if (!known && !(await wasTarget(context.root, id, target))) return undefined;
  return { target, record, landing: config.landing };
}

async function wasTarget(root: string, project: string, branch: string): Promise<boolean> {
  for (const runId of await listRuns(root, project)) {
    const run = await configOfRun(root, { project, runId }).catch(() => undefined);
    if (run?.file.target === branch) return true;
  }
  return false;
}

async function push(
  context: Context,
  { id, repository: { root } }: Project,
  { target, record, landing }: Pushable,
  open: Unpushed,
): Promise<ExitCode> {
  const { deliver } = await import('../../../jobs/delivery/deliver.js');
  const { passEnv, secretsAllowed } = landing;
  const remote = await openRemote({ root, record, env: context.env, passEnv });
  const find = secretFinder(context.env);
  const result = await deliver({ remote, target, find, secretsAllowed, listed: Number.POSITIVE_INFINITY });
  const to = `${record.name}/${record.branch}`;
  if (context.json) printJson({ ...result, kind: result.kind === 'pushed' ? 'pushed' : 'not-pushed', to });
  else if (result.kind === 'held') {
    const text = heldText(result, to);
    print(safeLines((await isOpen(context, id)) ? text : heldAfterRun(text)));
  } else print(pushedText({ ...open, ideas: result.ideas }, to));
  return result.kind === 'held' ? EXIT.refused : EXIT.ok;
}

const some = (list: readonly string[]): string =>
  inOneLine(list.length > 5 ? `${list.slice(0, 5).join(', ')} and ${list.length - 5} more` : list.join(', '));
