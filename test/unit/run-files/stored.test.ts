/** Files of ours that are read back: broken, half and newer ones name the file and the fix. Features: C6. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/load.js';
import { carriedDir, projectDir, runDir } from '../../../src/config/paths.js';
import { StoredFileError } from '../../../src/config/stored-error.js';
import { amend, amended } from '../../../src/run-files/amendments.js';
import { abandonedIdeas, carryOver, noteAbandoned } from '../../../src/run-files/carried.js';
import { readEdit, writeEdit } from '../../../src/run-files/edits.js';
import { readRevision, writeRevision } from '../../../src/run-files/revisions.js';
import { addIdeas, loadIdea, loadRun, reloadRun, writeRun } from '../../../src/run-files/run.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { runningWorker, workerRecordPath, writeWorkerRecord } from '../../../src/worker/record.js';
import { idea } from '../../activities/idea.js';

const ref = { project: 'p', runId: '20260101-000000-aaaa' };
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-stored-'));
  const run: RunFile = {
    ...{ version: 1, ...ref, repo: '/repo', target: 'main', config: defaultConfig(), tick: true },
    backlog: { file: '/repo/roadmap.md', format: 'roadmap', sha256: '' },
    createdAt: new Date(0).toISOString(),
  };
  await writeRun(root, run, [idea('a')]);
  await addIdeas(root, ref, [idea('b')]);
  await writeRevision(root, ref, { config: defaultConfig(), tick: true });
  await writeEdit(root, ref, 'a', { text: 'once' });
  await amend(root, 'p', idea('a'), { fields: { text: 'once' } });
  await noteAbandoned(root, 'p', 'a', 'no use');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const inRun = (...path: string[]) => join(runDir(root, ref.project, ref.runId), ...path);

const notRefused = () => expect.unreachable('the file was taken');

/** File, how it is read, the fix. */
const FILES: [string, () => string, () => Promise<unknown>, string][] = [
  ['run.json', () => inRun('run.json'), () => reloadRun(root, ref), 'ralphctl abort'],
  ['backlog.json', () => inRun('backlog.json'), () => reloadRun(root, ref), 'ralphctl abort'],
  ['an added idea', () => inRun('added', 'b.json'), () => loadIdea(root, ref, 'b'), 'ralphctl enqueue'],
  ['a reloaded configuration', () => inRun('config', '1.json'), () => readRevision(root, ref, 1), 'ralphctl abort'],
  ['an edit', () => inRun('edits', 'a', '1.json'), () => readEdit(root, ref, 'a', 1), 'ralphctl edit'],
  [
    'an amendment',
    () => join(projectDir(root, 'p'), 'amendments', 'a.json'),
    () => amended(root, 'p', [idea('a')], async () => new Set()),
    'edit or split',
  ],
  ['what outlasts a run', () => join(carriedDir(root, 'p'), 'a.json'), () => abandonedIdeas(root, 'p'), 'abandon'],
];

describe.each(FILES)('%s', (_, path, read, fix) => {
  const refused = (fault: string, why: RegExp | string) => async (error: unknown) => {
    expect(error).toBeInstanceOf(StoredFileError);
    const { message, path: named, fault: found, exitCode } = error as StoredFileError;
    expect([named, found, exitCode]).toEqual([path(), fault, 2]);
    expect(message).toContain(path());
    expect(message).toMatch(why);
  };

  it('is read as it was written', async () => {
    await expect(read()).resolves.toBeDefined();
  });

  it('half or empty, says so and how to fix it', async () => {
    const whole = await readFile(path(), 'utf8');
    for (const text of [whole.slice(0, whole.length / 2), '']) {
      await writeFile(path(), text);
      await read().then(notRefused, refused('broken', new RegExp(`is damaged: it is .*${fix}`, 's')));
    }
  });

  it('of another shape, names the field', async () => {
    const list = path().endsWith('backlog.json');
    await writeFile(path(), JSON.stringify(list ? [{ id: 7 }] : { version: 1, id: 7, config: 7, text: 7, idea: 7 }));
    await read().then(notRefused, refused('broken', new RegExp(`is damaged: \\S+: .*${fix}`, 's')));
  });

  it('of a newer version, asks for the newer ralphctl', async () => {
    await writeFile(path(), JSON.stringify({ version: 2, everything: 'else' }));
    await read().then(notRefused, refused('newer', 'has format version 2; this ralphctl reads version 1'));
  });
});

describe('files of ours', () => {
  it('keep fields that this version does not know', async () => {
    const path = inRun('run.json');
    await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, 'utf8')) as object), later: 'kept' }));
    expect((await reloadRun(root, ref)).file).toHaveProperty('later', 'kept');
  });

  it('of a run that was never here are missing, not damaged', async () => {
    await expect(loadRun(root, { project: 'p', runId: 'none' })).rejects.toThrow(/ENOENT/);
    expect(await loadIdea(root, ref, 'z')).toBeUndefined();
    expect(await readEdit(root, ref, 'a', 7)).toBeUndefined();
  });

  it('that a person has to fix are not replaced when a run ends', async () => {
    const path = join(carriedDir(root, 'p'), 'a.json');
    await writeFile(path, '{"half":');
    await carryOver(root, ref, new Set(['a', 'b']), { abandoned: [{ idea: 'a' }, { idea: 'b' }], hints: [] });
    expect(await readFile(path, 'utf8')).toBe('{"half":');
    expect(await readFile(join(carriedDir(root, 'p'), 'b.json'), 'utf8')).toContain('abandoned');
  });

  it('the record of a worker: a torn one names none, one of a newer version is an error', async () => {
    const path = workerRecordPath(root, 'p');
    await mkdir(dirname(path), { recursive: true });
    await writeWorkerRecord(root, 'p', { keeper: { pid: 1, startTime: 'x' }, buildId: 'b', startedAt: '' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toHaveProperty('version', 1);
    await writeFile(path, '{"keeper":');
    expect(await runningWorker(root, 'p')).toBeUndefined();
    await writeFile(path, '{"version":2}');
    await expect(runningWorker(root, 'p')).rejects.toThrow(/worker\.json has format version 2/);
  });
});
