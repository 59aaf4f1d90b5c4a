/** One idea through all runs of its project. Feature: A8. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ideaInRuns } from '../../../src/client/model/idea-runs.js';
import { ideaDir, runDir } from '../../../src/config/paths.js';
import { eventsPath } from '../../../src/run-files/events.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-idea-runs-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const idOf = (night: number): string => `202601${String(night).padStart(2, '0')}-220000`;

async function night(at: number, idea: string): Promise<void> {
  const ref = { project: 'p', runId: idOf(at) };
  await mkdir(runDir(root, ref.project, ref.runId), { recursive: true });
  await mkdir(join(ideaDir(root, ref.project, ref.runId, idea), '001'), { recursive: true });
  const event = { at: `2026-01-${String(at).padStart(2, '0')}T22:00:00.000Z`, kind: 'idea', idea, title: 'A' };
  await writeFile(eventsPath(root, ref), `${JSON.stringify({ ...event, status: 'blocked', reason: `night ${at}` })}\n`);
}

it('A8: names every run that worked on it, however long ago, and no other', async () => {
  for (let at = 1; at <= 28; at += 1) await night(at, at === 3 ? 'other' : 'a-1');
  const runs = await ideaInRuns(root, 'p', 'a-1');
  expect(runs.map(({ runId }) => runId)).toEqual(
    Array.from({ length: 28 }, (_, at) => 28 - at)
      .filter((at) => at !== 3)
      .map(idOf),
  );
  expect(runs.at(-1)?.idea).toMatchObject({ status: 'blocked', reason: 'night 1' });
});
