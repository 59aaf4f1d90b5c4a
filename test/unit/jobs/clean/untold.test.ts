/** A cleaning at the end of a run tells what another process removed in the run, where nobody has told it. Features: G9. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cleanUp } from '../../../../src/jobs/clean/by-itself.js';
import { recordCleaned, recordedAfter } from '../../../../src/jobs/clean/record.js';
import type { Cleaned } from '../../../../src/protocol/retention.js';
import { at, cleaned, freshFolders, PROJECT, plant, there } from './folders.js';

freshFolders();

const NAMED = (name: string): Cleaned => ({
  items: [{ what: 'leftover', name, bytes: 5, why: 'a cleaning was cut off' }],
  bytes: 5,
  stays: [],
});
const record = (name: string, run: string): Promise<void> =>
  recordCleaned(at.root, PROJECT, NAMED(name), { moment: 'start', run });

describe('what another process removed', () => {
  it('is told once: from a moment on, after the last that was told, and of this run alone', async () => {
    await plant(1);
    await record('before', 'this');
    await delay(5);
    const since = new Date().toISOString();
    await delay(5);
    await record('meanwhile', 'this');
    await record('elsewhere', 'another');
    const told = await recordedAfter(at.root, PROJECT, 'this', since);
    expect(told?.items).toEqual(NAMED('meanwhile').items);
    const { at: after } = told as Cleaned & { at: string };
    expect(await recordedAfter(at.root, PROJECT, 'this', after)).toBeUndefined();
    expect(await recordedAfter(at.root, PROJECT, 'this', new Date().toISOString())).toBeUndefined();
  });

  it('is kept before the next cleaning begins, so one that waited tells it', async () => {
    const git = (...args: string[]): Buffer => execFileSync('git', ['-C', at.repo, ...args]);
    git('init', '-q');
    git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'start');
    for (const days of [100, 110]) await plant(days);
    const run = await plant(1);
    const since = new Date().toISOString();
    const first = join(at.root, 'first');
    const working = cleaned(
      {},
      {
        record: async (done) => {
          await writeFile(first, '');
          // The other one waits for the lock meanwhile.
          await delay(300);
          await recordCleaned(at.root, PROJECT, done, { moment: 'start', run });
        },
      },
    );
    while (!(await there(first))) await delay(5);
    const input = { project: PROJECT, moment: 'end' as const, waitMs: 10_000, toldUntil: since };
    const found = await cleanUp({ root: at.root }, input, { signal: new AbortController().signal });
    expect(found?.items).toHaveLength((await working).items.length);
    expect(found?.items).not.toHaveLength(0);
  });
});
