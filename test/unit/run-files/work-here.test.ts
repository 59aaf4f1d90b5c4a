/** What triage compares reports with, from the files of earlier runs, however large and however many. Features: E3 E4. */
import { appendFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { runDir } from '../../../src/config/paths.js';
import { workHere } from '../../../src/run-files/work-here.js';
import { daysBefore, type OldRun, oldRun } from '../../support/old-runs.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-work-here-'));
  const made = root;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  await mkdir(join(root, 'repo'));
});
const run = (more: Partial<OldRun> & Pick<OldRun, 'at'>): Promise<string> =>
  oldRun(root, { project: 'p', repo: join(root, 'repo'), agentRuns: 1, output: 1, gateLog: 1, ...more });
const eventsOf = (runId: string): string => join(runDir(root, 'p', runId), 'events.jsonl');

/** More than 8 MB of events between the first and the others, as a long run tells them. */
async function lengthen(runId: string): Promise<void> {
  const [first, ...others] = (await readFile(eventsOf(runId), 'utf8')).split('\n');
  const { at } = JSON.parse(first ?? '') as { at: string };
  const waits = { at, kind: 'waiting', idea: 'a-1', why: `the "kind":"idea" of ${'x'.repeat(1000)}`, ms: 1 };
  await writeFile(eventsOf(runId), `${first}\n${`${JSON.stringify(waits)}\n`.repeat(9000)}${others.join('\n')}`);
}

it('a run with very many events: the open one, too', async () => {
  const now = Date.now();
  await lengthen(await run({ at: now - 10_800_000, ideas: ['a-1'] }));
  const open = await run({ at: now, ideas: ['b-1', 'b-2'], open: true });
  const event = { at: new Date(now).toISOString(), kind: 'idea', idea: 'b-2', title: 'Do b-2', status: 'running' };
  await appendFile(eventsOf(open), `${JSON.stringify(event)}\n`);
  await lengthen(open);
  const { known, past, problems } = await workHere(root, 'p');
  expect(known.map(({ id, state, text }) => [id, state, text])).toEqual([
    ['b-1', 'closed', 'Do it'],
    ['b-2', 'open', 'Do it'],
    ['a-1', 'closed', 'Do it'],
  ]);
  expect(past.map(({ ms }) => ms)).toEqual([1000, 1000]);
  expect(problems).toEqual([]);
});

it('all runs of the last two weeks, also where there are many', async () => {
  const now = Date.now();
  for (let n = 0; n < 25; n++) await run({ at: now - n * 7_200_000, ideas: [`a-${n}`] });
  await run({ at: daysBefore(now, 20), ideas: ['old-1'] });
  const { known } = await workHere(root, 'p');
  expect(known.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, n) => `a-${n}`));
});

it('a run that cannot be read is told', async () => {
  const bad = await run({ at: Date.now() - 7_200_000 });
  await run({ at: Date.now(), ideas: ['b-1'] });
  await writeFile(join(runDir(root, 'p', bad), 'run.json'), '{');
  await utimes(eventsOf(bad), 0, 0);
  const { known, problems } = await workHere(root, 'p');
  expect(known.map(({ id }) => id)).toEqual(['b-1']);
  expect(problems).toEqual([
    expect.stringMatching(new RegExp(`^triage does not know the work of run ${bad}: .*run\\.json`)),
  ]);
});
