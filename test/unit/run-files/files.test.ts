/** Files of a run and marks of attempts: whole or not there at all, and never somebody else's. Features: C6. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/load.js';
import { attemptsDir, runDir, runsDir } from '../../../src/config/paths.js';
import {
  type AttemptMark,
  hasMark,
  holdsMark,
  leftAttempts,
  markAttempt,
  unmarkAttempt,
} from '../../../src/run-files/attempts.js';
import { addIdeas, listRuns, loadIdea, loadRun, writeAtomically, writeRun } from '../../../src/run-files/run.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { repositoryPath } from '../../../src/run-files/ticks.js';
import { idea } from '../../activities/idea.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-runs-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const file = (runId: string): RunFile => ({
  ...{ version: 1, project: 'p', runId, repo: '/repo', target: 'main', config: defaultConfig(), tick: true },
  backlog: { file: '/repo/roadmap.md', format: 'roadmap', sha256: '' },
  createdAt: new Date(0).toISOString(),
});

describe('run files', () => {
  it('come back as they were written, with ideas that were added later', async () => {
    const ref = { project: 'p', runId: '20260101-000000-aaaa' };
    await writeRun(root, file(ref.runId), [idea('a'), idea('b')]);
    const run = await loadRun(root, ref);
    expect(run.file).toEqual(file(ref.runId));
    expect([...run.ideas.keys()]).toEqual(['a', 'b']);
    expect(await loadIdea(root, ref, 'c')).toBeUndefined();
    await addIdeas(root, ref, [idea('c', { title: 'Later' })]);
    expect(await loadIdea(root, ref, 'c')).toMatchObject({ id: 'c', title: 'Later' });
    expect(await loadIdea(root, ref, 'a')).toEqual(idea('a'));
  });

  it('are kept apart for many runs, and missing or broken ones are errors', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `20260101-0000${String(i).padStart(2, '0')}-aaaa`);
    for (const runId of ids) await writeRun(root, file(runId), [idea(runId)]);
    for (const runId of [...ids, ...ids]) {
      const run = await loadRun(root, { project: 'p', runId });
      expect([run.file.runId, [...run.ideas.keys()]]).toEqual([runId, [runId]]);
    }
    expect(await listRuns(root, 'p')).toEqual([...ids].reverse());
    expect(await listRuns(root, 'nobody')).toEqual([]);
    await expect(loadRun(root, { project: 'p', runId: 'none' })).rejects.toThrow(/ENOENT/);
    await mkdir(join(runsDir(root, 'p'), 'broken'));
    await writeFile(join(runDir(root, 'p', 'broken'), 'run.json'), '{"version":');
    await expect(loadRun(root, { project: 'p', runId: 'broken' })).rejects.toThrow(
      /run\.json is damaged: it is no valid JSON.*ralphctl abort/,
    );
  });

  it('are whole or not there: a start that is cut off leaves nothing that counts, and the next one removes it', async () => {
    const runId = '20260101-000000-aaaa';
    const cut = file(runId);
    Object.assign(cut, { named: cut });
    await expect(writeRun(root, cut, [idea('a')])).rejects.toThrow(/circular/);
    expect(await readdir(runsDir(root, 'p'))).toEqual([]);
    // What a killed process left.
    const draft = join(runsDir(root, 'p'), `.${runId}-abcd1234-1.new`);
    await mkdir(draft);
    await writeFile(join(draft, 'backlog.json'), '[');
    expect(await listRuns(root, 'p')).toEqual([]);
    await writeRun(root, file(runId), [idea('a')]);
    expect(await readdir(runsDir(root, 'p'))).toEqual([runId]);
    expect((await readdir(runDir(root, 'p', runId))).sort()).toEqual(['added', 'backlog.json', 'run.json']);
    // A folder that is there gets its files, and keeps the others.
    await writeFile(join(runDir(root, 'p', runId), 'events.jsonl'), '');
    await writeRun(root, file(runId), [idea('b')]);
    expect(await readdir(runsDir(root, 'p'))).toEqual([runId]);
    expect(await readdir(runDir(root, 'p', runId))).toContain('events.jsonl');
  });

  it('a hundred writers at once leave one whole file and nothing else', async () => {
    const path = join(root, 'one.json');
    const texts = Array.from({ length: 100 }, (_, i) => JSON.stringify({ i, filler: 'x'.repeat(5000) }));
    await Promise.all(texts.map((text) => writeAtomically(path, text)));
    expect(texts).toContain(await readFile(path, 'utf8'));
    expect(await readdir(root)).toEqual(['one.json']);
  });
});

describe('attempt marks', () => {
  const mark = (of: string, token: string): AttemptMark => ({
    ...{ token, taskToken: 'dA==', idea: of, serial: 1, startedAt: new Date(0).toISOString() },
  });

  it('a later attempt takes the mark over; the earlier one cannot take it away', async () => {
    const [first, second] = [mark('t-1', 'p/t-1/r/1/a'), mark('t-1', 'p/t-1/r/1/b')];
    expect(await hasMark(root, 'p', 't-1')).toBe(false);
    await markAttempt(root, 'p', first);
    expect([await hasMark(root, 'p', 't-1'), await holdsMark(root, 'p', first)]).toEqual([true, true]);
    await markAttempt(root, 'p', second);
    expect([await holdsMark(root, 'p', first), await holdsMark(root, 'p', second)]).toEqual([false, true]);
    await unmarkAttempt(root, 'p', first);
    expect(await leftAttempts(root, 'p')).toEqual([second]);
    await unmarkAttempt(root, 'p', second);
    await unmarkAttempt(root, 'p', second);
    expect(await leftAttempts(root, 'p')).toEqual([]);
  });

  it('marks that cannot be read are passed over', async () => {
    await markAttempt(root, 'p', mark('t-1', 'x'));
    await writeFile(join(attemptsDir(root, 'p'), 't-2.json'), '{"token":');
    await writeFile(join(attemptsDir(root, 'p'), 't-3.json.123.tmp'), '');
    expect((await leftAttempts(root, 'p')).map((one) => one.idea)).toEqual(['t-1']);
    expect(await leftAttempts(root, 'nobody')).toEqual([]);
  });
});

describe('repositoryPath', () => {
  it('is relative with forward slashes inside, and nothing outside', () => {
    expect(repositoryPath('/a/repo', '/a/repo/specs/roadmap.md')).toBe('specs/roadmap.md');
    for (const path of ['/a/repo', '/a/other/roadmap.md', '/a/repo-2/roadmap.md']) {
      expect(repositoryPath('/a/repo', path), path).toBeUndefined();
    }
    expect(repositoryPath('/a/repo', '/a/repo/..hidden.md'), 'a name may begin with two dots').toBe('..hidden.md');
  });
});
