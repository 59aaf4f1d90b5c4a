/** The keys of a project, from the configurations of its runs. Feature: G9. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.js';
import { runDir } from '../../../src/config/paths.js';
import { UserError } from '../../../src/protocol/user-error.js';
import { keysOfProject } from '../../../src/run-files/payload-keys.js';
import { dropRevision, writeRevision } from '../../../src/run-files/revisions.js';
import { writeRun } from '../../../src/run-files/run.js';
import { ProjectPayloads } from '../../../src/server/payloads/project.js';
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

it('that only a damaged file may name are told with that file, and with what helps', async () => {
  const seal = async () => {
    const project = new ProjectPayloads({ keys: keysOfProject(root, 'p'), env });
    let payloads: Payload[] = [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"x"') }];
    for (const codec of project.codecs) payloads = await codec.encode(payloads);
    return payloads;
  };
  const env = { KEY: randomBytes(32).toString('base64') };
  const decode = async (payloads: Payload[]): Promise<string> =>
    new ProjectPayloads({ keys: keysOfProject(root, 'p'), env }).decode(payloads).then(
      () => '',
      (error: unknown) => (error instanceof UserError ? error.message : `no UserError: ${String(error)}`),
    );
  await begin(FIRST);
  await begin(SECOND, 'a');
  const sealed = await seal();
  expect(await decode(sealed)).toBe('');
  const file = join(runDir(root, 'p', SECOND), 'run.json');
  const whole = await readFile(file, 'utf8');
  const HELP = /backup.*temporal workflow terminate .*RalphProject = 'p'.*mv .*20261118-220000-bbbb/;
  for (const text of ['', '{"version":1,', '[]']) {
    await writeFile(file, text);
    const said = await decode(sealed);
    expect(said).toContain(`${file} is damaged`);
    expect(said).toMatch(HELP);
    expect(said).not.toContain('has no such key');
    expect(said).not.toContain('ralphctl abort');
  }
  await rm(file);
  expect(await decode(sealed)).toContain(`${file} is missing`);
  expect(await decode(sealed)).toMatch(HELP);
  await writeFile(file, whole);
  expect(await decode(sealed)).toBe('');
  // No file is damaged: the key is missing.
  await begin(SECOND, 'b');
  expect(await decode(sealed)).toContain('has no such key');
});
