/**
 * A week of disk use with a fixed clock: six runs a day, each with the output of an agent and of its gate, and a cleaning
 * after each. Features: G9.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectDir } from '../../../../src/config/paths.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { clean } from '../../../../src/jobs/clean/clean.js';
import { sizeOf } from '../../../../src/jobs/clean/own.js';
import type { Retention } from '../../../../src/protocol/retention.js';
import { oldRun } from '../../../support/old-runs.js';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-02T00:00:00Z');
/** Each run: two agent runs of 100 kB, three gate logs of 20 kB. */
const LARGE = { output: 100_000, gateLog: 20_000 };
const OF_RUN = 2 * 100_000 + 3 * 20_000;
const A_DAY = 6;

/** Bytes of the project at the end of each day. */
async function simulate(days: number, rules: Partial<Retention>, cleans: boolean): Promise<number[]> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-week-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const repo = join(root, 'repo');
  await mkdir(repo);
  const project = 'week-11111111';
  const sizes: number[] = [];
  for (let day = 0; day < days; day++) {
    for (let n = 0; n < A_DAY; n++) {
      const now = START + (day * 24 + n * 4 + 4) * HOUR;
      await oldRun(root, { project, repo, at: now - HOUR, ...LARGE });
      const options = {
        root,
        project,
        dryRun: false,
        byItself: true,
        now: new Date(now),
        stop: () => false,
        waitMs: 0,
      };
      if (cleans) await clean({ ...options, rules: { ...DEFAULT_RETENTION, ...rules } });
    }
    sizes.push(await sizeOf(projectDir(root, project)));
  }
  return sizes;
}

it('without cleaning a week grows by each run; with ages of a day or two it stays level', async () => {
  const grown = await simulate(7, {}, false);
  expect(grown.at(-1)).toBeGreaterThan(7 * A_DAY * OF_RUN);
  const kept = await simulate(7, { keepDays: 1, transcriptDays: 2, gateLogDays: 1 }, true);
  const [, , third = 0] = kept;
  const last = kept.at(-1) ?? 0;
  console.log(
    `a week: ${grown.map((size) => (size / 1e6).toFixed(1)).join(' ')} MB; cleaned: ${kept.map((size) => (size / 1e6).toFixed(1)).join(' ')} MB`,
  );
  // Two days of transcripts, one of gate logs; what stays of a run for ever is some files of a block each.
  const forEver = 25 * 4096;
  expect(last).toBeLessThan(third + 5 * A_DAY * forEver);
  expect(last).toBeLessThan(3 * A_DAY * OF_RUN + 7 * A_DAY * forEver);
});

it('a size holds all week, and what is younger than keepDays stays whatever its size', async () => {
  const most = 5;
  const sizes = await simulate(7, { keepDays: 1, maxMegabytes: most }, true);
  const young = A_DAY * OF_RUN;
  const forEver = 25 * 4096;
  for (const [day, size] of sizes.entries())
    expect(size).toBeLessThan(most * 1e6 + 2 * OF_RUN + (day + 1) * A_DAY * forEver);
  const tight = await simulate(3, { keepDays: 1, maxMegabytes: 1 }, true);
  expect(tight.at(-1)).toBeGreaterThan(young);
});
