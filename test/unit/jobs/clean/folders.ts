/** A state folder with old runs of one project, for tests of cleaning. */
import { execFileSync } from 'node:child_process';
import { access, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { runDir } from '../../../../src/config/paths.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { type CleanOptions, clean } from '../../../../src/jobs/clean/clean.js';
import type { Cleaned, Retention } from '../../../../src/protocol/retention.js';
import { daysBefore, type OldRun, oldRun } from '../../../support/old-runs.js';

export const NOW = new Date('2026-11-26T12:00:00Z');
export const PROJECT = 'mine-11111111';

/** New for each test. `work` holds the repository and something beside it, so that a repository that is gone is no unmounted disk. */
export const at = { root: '', work: '', repo: '' };

export function freshFolders(): void {
  beforeEach(async () => {
    at.root = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl clean-')));
    at.work = join(at.root, 'work');
    at.repo = join(at.work, 'repo');
    await mkdir(join(at.work, 'beside'), { recursive: true });
    await mkdir(at.repo);
  });
  afterEach(() => rm(at.root, { recursive: true, force: true }));
}

/** A run that ended so many days ago; returns its id. */
export const plant = (days: number, some: Partial<OldRun> = {}): Promise<string> =>
  oldRun(at.root, { project: PROJECT, repo: at.repo, at: daysBefore(NOW.getTime(), days), ...some });

export const cleaned = (rules: Partial<Retention> = {}, options: Partial<CleanOptions> = {}): Promise<Cleaned> =>
  clean({
    ...{ root: at.root, project: PROJECT, rules: { ...DEFAULT_RETENTION, ...rules } },
    ...{ dryRun: false, byItself: false, now: NOW, stop: () => false, waitMs: 5000, ...options },
  });

export const dirOf = (runId: string): string => runDir(at.root, PROJECT, runId);

export const there = (...path: string[]): Promise<boolean> =>
  access(join(...path)).then(
    () => true,
    () => false,
  );

/** Every file below a folder with its content. */
export function snapshot(dir: string): string {
  return execFileSync('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort; find . -type l | sort'], {
    cwd: dir,
  }).toString();
}
