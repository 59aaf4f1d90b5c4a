/**
 * The cleaning at the start and at the end of a run, which nobody asked for.
 * Invariant: it has little time, waits for nobody, and never fails a run.
 */
import { integrationDir, wallDir, worktreesDir } from '../../config/paths.js';
import { retentionOf } from '../../config/schema/retention.js';
import { findWall } from '../../git/confinement/wall.js';
import { sharedGitDir } from '../../git/repository.js';
import type { Cleaned, CleanMoment } from '../../protocol/retention.js';
import { listRuns, loadNewest } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { WorkContext, WorkDeps } from '../job.js';
import { type CleanOptions, clean } from './clean.js';
import { repositoryState } from './gone.js';
import { lastSizes, measure } from './measure.js';
import { recordCleaned, recordedAfter } from './record.js';

export interface CleanUpInput {
  project: string;
  moment: Exclude<CleanMoment, 'command'>;
  /** Milliseconds that it may take. */
  mostMs?: number;
  /** Milliseconds that another cleaning of the project may keep it waiting. */
  waitMs?: number;
  /** Where it removed nothing itself, it gives what another process removed in the run after this moment (ISO 8601). */
  toldUntil?: string;
  /** Also measures the state folder, which reads all of it. */
  measures?: boolean;
}

const MOST_MS = 30_000;
const STALE_MS = 3_600_000;

const isStale = async (root: string, now: Date): Promise<boolean> => {
  const { at } = (await lastSizes(root)) ?? {};
  return at === undefined || Math.abs(now.getTime() - Date.parse(at)) > STALE_MS;
};

/** Undefined where it is turned off, and where it removed nothing. Never rejects. */
export async function cleanUp(
  { root }: Pick<WorkDeps, 'root'>,
  { project, moment, mostMs = MOST_MS, waitMs = 0, toldUntil, measures = false }: CleanUpInput,
  { signal }: Pick<WorkContext, 'signal'>,
): Promise<Cleaned | undefined> {
  const end = performance.now() + mostMs;
  const stop = (): boolean => signal.aborted || performance.now() > end;
  const now = new Date();
  try {
    const [run] = await listRuns(root, project);
    if (run === undefined) return undefined;
    const { file } = await loadNewest(root, { project, runId: run });
    const rules = retentionOf(file.config);
    if (!rules.automatic) return undefined;
    const place = await placeOf(file);
    if (place) await behindWall(root, project, place);
    const record = (done: Cleaned): Promise<void> => recordCleaned(root, project, done, { moment, run });
    const options = { root, project, rules, place, dryRun: false, byItself: true, now, stop, waitMs, record };
    const cleaned = await clean(options).catch(() => undefined);
    if (measures && !stop() && (await isStale(root, now))) await measure(root, stop, now);
    if (cleaned && cleaned.items.length > 0) return cleaned;
    return toldUntil === undefined ? undefined : await recordedAfter(root, project, run, toldUntil);
  } catch {
    return undefined;
  }
}

/** Git must not run programs that an agent left in a worktree. */
async function behindWall(
  root: string,
  project: string,
  { repo, worktreesRoot }: NonNullable<CleanOptions['place']>,
): Promise<void> {
  const linked = [worktreesRoot ?? worktreesDir(root, project), integrationDir(root, project)];
  await findWall({ commonDir: await sharedGitDir(repo), root: repo, linked, dir: wallDir(root, project) });
}

/** Its repository, where that is there. */
async function placeOf({ repo, target, backlog, config }: RunFile): Promise<CleanOptions['place']> {
  if ((await repositoryState(repo)) !== 'there') return undefined;
  return { repo, target, backlogPath: repositoryPath(repo, backlog.file), worktreesRoot: config.worktrees?.root };
}
