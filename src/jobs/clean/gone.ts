/**
 * Projects whose repository is gone: transcripts, gate logs, events and caches of them go.
 * Invariant: a repository whose own folder is missing or empty is away, as on a disk that is not mounted. Ledger, use of
 * agents, summaries and reports stay, so that a repository that comes back finds them. Worktrees stay, because without
 * the repository nobody can tell what is in them.
 */

import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  baselineDir,
  cleanLockDir,
  greensDir,
  integrationDir,
  keptDir,
  projectDir,
  worktreesDir,
} from '../../config/paths.js';
import { DEFAULT_RETENTION, retentionOf } from '../../config/schema/retention.js';
import { type ProjectFacts, projectGoes, type RunFacts } from '../../decide/retention/what-goes.js';
import { LockTimeoutError, withLock } from '../../process/lock.js';
import { many } from '../../protocol/many.js';
import type { Retention, RunPart } from '../../protocol/retention.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { shellWord } from '../../protocol/shell-words.js';
import { newestRun } from '../../run-files/readable.js';
import { listRuns, loadNewest } from '../../run-files/run.js';
import { allFacts } from './all-facts.js';
import type { Cleaning } from './clean.js';
import { deleteAway, sizeOf, sweep, takeAway } from './own.js';
import { cleanRun } from './runs.js';

/** There, gone, or away: nobody can tell. */
export async function repositoryState(repo: string): Promise<ProjectFacts['repository']> {
  const missing = (error: NodeJS.ErrnoException): 'gone' | 'away' => (error.code === 'ENOENT' ? 'gone' : 'away');
  const found = await lstat(repo).then(() => 'there' as const, missing);
  if (found !== 'gone') return found;
  // An empty folder is where a disk may be mounted.
  const beside = await readdir(dirname(repo)).catch(() => []);
  return beside.length > 0 ? 'gone' : 'away';
}

export async function cleanGone(cleaning: Cleaning): Promise<void> {
  const { root, project: own, out } = cleaning;
  for (const project of (await readdir(join(root, 'projects')).catch(() => [])).sort()) {
    if (cleaning.stop()) return;
    if (project === own || project.startsWith('.') || (await isYoung(cleaning, project))) continue;
    const run = await newestRun(root, project);
    if (!run || (await repositoryState(run.file.repo)) !== 'gone') continue;
    const rules = await rulesOf(root, { project, runId: run.file.runId });
    if (cleaning.byItself && !rules.automatic) continue;
    const dir = projectDir(root, project);
    if (!(await out.mayClean(dir)) || !(await out.mayClean(join(dir, 'runs')))) continue;
    const clean = (): Promise<void> => cleanOne(cleaning, project, run.file.repo, rules);
    if (cleaning.dryRun) await clean();
    else
      await out.trying(dir, () =>
        withLock(cleanLockDir(root, project), clean, { waitMs: 0 }).catch((error: unknown) => {
          if (!(error instanceof LockTimeoutError)) throw error;
        }),
      );
  }
}

/** By the name of its newest run: without reading more of the many projects of a machine. */
async function isYoung({ root, now }: Cleaning, project: string): Promise<boolean> {
  const [newest = ''] = await listRuns(root, project).catch(() => []);
  const stamp = newest.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5:$6Z');
  // No age is less than a day. Without a run it is no project.
  return !(now.getTime() - Date.parse(stamp) >= 86_400_000);
}

const ALL: readonly RunPart[] = ['transcripts', 'gateLogs', 'events'];

/** Of its newest configuration. One that cannot be read may have turned the cleaning off. */
async function rulesOf(root: string, ref: RunRef): Promise<Retention> {
  try {
    return retentionOf((await loadNewest(root, ref)).file.config);
  } catch {
    return { ...DEFAULT_RETENTION, automatic: false };
  }
}

async function cleanOne(cleaning: Cleaning, project: string, repo: string, rules: Retention): Promise<void> {
  const { root, now, out, dryRun } = cleaning;
  const runs: RunFacts[] = [];
  for await (const run of allFacts(cleaning, project)) runs.push(run);
  const at = Math.max(0, ...runs.map((one) => one.at));
  const open = runs.some(({ over }) => !over);
  if (!projectGoes({ repository: 'gone', at, open }, rules, now.getTime())) return;
  let bytes = dryRun ? 0 : await sweep(projectDir(root, project));
  for (const run of runs) {
    if (cleaning.stop()) break;
    const parts = ALL.filter((part) => part in run.parts && (part !== 'events' || run.reported));
    if (parts.length === 0) continue;
    if (!dryRun) await cleanRun(root, project, { runId: run.runId, parts, bytes: 0, why: '' }, now);
    for (const part of parts) bytes += run.parts[part] ?? 0;
  }
  for (const cache of [baselineDir, greensDir, keptDir].map((place) => place(root, project))) {
    const size = await sizeOf(cache, cleaning.stop);
    if (size === 0 || !(await out.mayClean(cache))) continue;
    bytes += size;
    if (!dryRun) await deleteAway(await takeAway(cache));
  }
  if (bytes > 0) cleaning.done({ what: 'project', name: project, bytes, why: `its repository ${repo} is gone` });
  for (const place of [worktreesDir(root, project), integrationDir(root, project)]) {
    const left = (await readdir(place, { withFileTypes: true }).catch(() => [])).filter((one) => one.isDirectory());
    if (left.length > 0)
      out.told.push(
        `${place} stays: ${left.length === 1 ? 'a worktree' : many(left.length, 'worktree')} of ${repo}, which is gone, so nobody can tell what is in there. If you need nothing of it: rm -r ${shellWord(place)}`,
      );
  }
}
