/** The keys of a project, from the configurations of its runs. Feature: G9. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.js';
import { runDir } from '../../../src/config/paths.js';
import { keysOfProject } from '../../../src/run-files/payload-keys.js';
import { dropRevision, writeRevision } from '../../../src/run-files/revisions.js';
import { writeRun } from '../../../src/run-files/run.js';
import { idea } from '../../activities/idea.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-payload-keys-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const [FIRST, SECOND] = ['20261117-220000-aaaa', '20261118-220000-bbbb'] as const;
const configOf = (...ids: string[]) =>
  parseConfig(
    `payloads: {encryption: {keys: [${ids.map((id) => `{id: ${id}, env: KEY}`).join(', ')}]}}`,
    'ralphctl.yaml',
  );
const begin = (runId: string, ...ids: string[]) =>
  writeRun(
    root,
    {
      ...({ version: 1, project: 'p', runId, repo: join(root, 'repo'), target: 'main', tick: true } as const),
      backlog: { file: 'roadmap.md', format: 'roadmap', sha256: '' },
      config: configOf(...ids),
      createdAt: '2026-11-17T22:00:00.000Z',
    },
    [idea('a')],
  );
const newest = async () => (await keysOfProject(root, 'p').newest()).keys.map(({ id }) => id);

it('are those of the newest run with its reloads; a reload that the run did not take counts no longer', async () => {
  expect(await newest()).toEqual([]);
  await begin(FIRST, 'a');
  expect(await newest()).toEqual(['a']);
  const ref = { project: 'p', runId: FIRST };
  const one = await writeRevision(root, ref, { config: configOf('b', 'a'), tick: true });
  expect(await newest()).toEqual(['b', 'a']);
  await dropRevision(root, ref, one);
  expect(await newest()).toEqual(['a']);
  expect(await writeRevision(root, ref, { config: configOf('c', 'a'), tick: true })).toBe(one);
  expect(await newest()).toEqual(['c', 'a']);

  await begin(SECOND);
  expect(await newest()).toEqual([]);
  expect((await keysOfProject(root, 'p').older('c'))?.id).toBe('c');
});

it('are those of the run before where the file of the newest one is damaged: it may encrypt', async () => {
  await begin(FIRST, 'a');
  await begin(SECOND, 'a');
  await writeFile(join(runDir(root, 'p', SECOND), 'run.json'), '{"version":1,');
  expect(await newest()).toEqual(['a']);
});
