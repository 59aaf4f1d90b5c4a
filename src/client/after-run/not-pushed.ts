/** Landed work of the last run that the remote may lack. Invariant: asks no remote. */

import { asksToJoin, heldAfterRun } from '../../decide/delivery/push.js';
import { isAncestor } from '../../git/ancestry.js';
import { lastKnown } from '../../git/delivery/look.js';
import { notPushed } from '../../git/delivery/unpushed.js';
import type { RunFacts, SummaryFile } from '../../model/facts.js';
import type { RunStatus } from '../../protocol/views.js';
import { loadRun } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { readSummary } from '../../run-files/summary.js';
import { openText } from '../plan/remote.js';
import { clean } from '../views/live-lines.js';

/** The reason may name several commands. */
const LONGEST = 700;

interface Ended {
  last?: SummaryFile;
  status?: RunStatus;
  run?: RunFacts;
}

/** For `status`. Undefined: the last run pushed everything, or somebody has since. */
export async function notPushedLine(
  root: string,
  project: string,
  { last, status, run }: Ended,
): Promise<string | undefined> {
  const runId = (last?.status ?? status)?.runId;
  if (runId === undefined) return undefined;
  const loaded = await loadRun(root, { project, runId }).catch(() => undefined);
  const back = loaded && (await rollbackNotPushed(loaded.file));
  if (back) return `! not pushed: ${back}. ${PUSH}`;
  const text = last?.status.delivery?.text ?? run?.warnings?.find(({ kind }) => kind === 'push')?.text;
  if (text === undefined) return undefined;
  if (loaded && !(await mayOwe(loaded.file))) return undefined;
  return `! not pushed: ${clean(loaded ? await heldNow(loaded.file, text) : heldAfterRun(text), LONGEST)}`;
}

/**
 * What the remote lacks, where a rollback is part of it: the run's own words are from before that. Nothing pushes the
 * target of a run with pull requests.
 */
export async function rollbackNotPushed({ repo, target, remote, config }: RunFile): Promise<string | undefined> {
  if (!remote || config.landing.mode === 'pr') return undefined;
  const open = await notPushed(repo, target, remote).catch(() => undefined);
  return open?.undone ? openText(open, target, remote) : undefined;
}

/**
 * The run's reason, as long as it holds: once the target has what the remote has, nobody needs to join them any more.
 * Then only a push is missing, and the counts are those of now.
 */
export async function heldNow({ repo, target, remote }: RunFile, said: string): Promise<string> {
  if (!remote || !asksToJoin(said)) return heldAfterRun(said);
  try {
    const seen = await lastKnown(repo, remote, target);
    const open = await notPushed(repo, target, remote);
    if (open && seen !== undefined && (await isAncestor(repo, seen, `refs/heads/${target}`)))
      return `${openText(open, target, remote)}. ${PUSH}`;
  } catch {
    // Nobody can tell.
  }
  return heldAfterRun(said);
}

const PUSH = 'Push it with: ralphctl sync';

/** Why the landed work of one idea is not on the remote. Undefined: it is, or it never landed. */
export async function ideaNotPushed(
  root: string,
  { file }: { file: RunFile },
  idea: string,
): Promise<string | undefined> {
  const { repo, target, remote, config, runId, project } = file;
  if (!remote || config.landing.mode === 'pr') return undefined;
  const open = await notPushed(repo, target, remote).catch(() => undefined);
  if (!open?.ideas.includes(idea)) return undefined;
  const said = (await readSummary(root, { project, runId }, () => {}))?.status.delivery?.text;
  const text = said === undefined ? `${openText(open, target, remote)}. ${PUSH}` : await heldNow(file, said);
  return text;
}

/** Whether the remote of a run may lack landed work. Where nobody can tell, what the run said last holds. */
export async function mayOwe({ repo, target, remote }: RunFile): Promise<boolean> {
  if (!remote) return false;
  return (await notPushed(repo, target, remote).catch(() => true)) !== undefined;
}

/**
 * An open run learns with its next try that `sync`, or a push of the person, was quicker. Until then its own words are
 * from before that.
 */
export async function dropPushed(status: Pick<RunStatus, 'delivery' | 'warnings'>, file: RunFile): Promise<void> {
  if (!status.delivery || !file.remote || (await mayOwe(file))) return;
  delete status.delivery;
  if (status.warnings) status.warnings = status.warnings.filter(({ kind }) => kind !== 'push');
}
