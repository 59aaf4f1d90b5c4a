/**
 * Stores the current plan step of an idea (B9) on disk, so that a restarted workflow resumes there.
 * Invariant: a stored step counts only while the branch still contains the work of that time and the plan is unchanged.
 * Otherwise the plan starts at its first step.
 */
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn } from '../config/own-files.js';
import { planPlacesDir } from '../config/paths.js';
import { git } from '../git/runner.js';
import type { Idea, PlanPosition } from '../protocol/idea.js';
import { writeAtomically } from '../run-files/run.js';
import type { WorkDeps } from './job.js';

interface Kept extends PlanPosition {
  /** Hash of the plan's texts. */
  digest: string;
  /** Tip of the branch at the time of writing. */
  head: string;
}

interface Where {
  project: string;
  idea: string;
}

const fileOf = (deps: WorkDeps, { project, idea }: Where): string =>
  join(planPlacesDir(deps.root, project), `${idea}.json`);

const digestOf = ({ plan }: Idea): string => createHash('sha256').update(JSON.stringify(plan)).digest('hex');

/** Never fails: without the file, a later retry only repeats steps. */
export async function keepPlace(
  deps: WorkDeps,
  input: Where & { worktree: string },
  idea: Idea,
  { step, skipped }: PlanPosition,
): Promise<void> {
  if (!idea.plan) return;
  try {
    const head = await git(input.worktree).run(['rev-parse', 'HEAD'], { read: true });
    await mkdir(planPlacesDir(deps.root, input.project), { recursive: true });
    const kept: Kept = { step, skipped, digest: digestOf(idea), head };
    await writeAtomically(fileOf(deps, input), JSON.stringify(kept));
  } catch {
    await dropPlace(deps, input);
  }
}

/** For an idea without remaining work: landed or rolled back. */
export const dropPlace = (deps: WorkDeps, where: Where): Promise<void> =>
  rm(fileOf(deps, where), { force: true }).catch(() => undefined);

/** Undefined means the first step. `own`: the worktree is the idea's earlier one, not a new one. */
export async function placeOf(
  deps: WorkDeps,
  input: Where & { worktree: string; base: string; own: boolean },
  idea: Idea,
): Promise<PlanPosition | undefined> {
  if (!idea.plan) return undefined;
  const kept = await read(fileOf(deps, input));
  if (!kept || kept.digest !== digestOf(idea)) return undefined;
  const { step, skipped, head } = kept;
  if (!(await contains(input.worktree, 'HEAD', head))) return undefined;
  // In a new worktree, commits on the target may belong to another idea.
  if (!input.own && (await contains(input.worktree, input.base, head))) return undefined;
  return { step, skipped };
}

async function contains(worktree: string, tip: string, commit: string): Promise<boolean> {
  const asked = ['merge-base', '--is-ancestor', commit, tip];
  return (await git(worktree).result(asked, { ok: [0, 1, 128], read: true })).code === 0;
}

async function read(path: string): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse((await readOwn(path)) ?? '') as Partial<Kept>;
    const { step, skipped, digest, head } = kept;
    const whole = Number.isInteger(step) && Array.isArray(skipped) && /^[0-9a-f]{40,64}$/.test(head ?? '');
    return whole ? ({ step, skipped, digest, head } as Kept) : undefined;
  } catch {
    return undefined;
  }
}
