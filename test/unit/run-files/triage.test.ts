/** Verdicts of people about bug reports. Features: E3. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { projectDir } from '../../../src/config/paths.js';
import { overrule, overrulesOf } from '../../../src/run-files/triage.js';
import { report } from '../decide/triage/reports.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-overruled-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ONE = report('gh/1', 'Save', 'Nothing happens');

it('E3 hold until title or body change, and the last one counts', async () => {
  expect(await overrulesOf(root, 'p', [ONE])).toEqual(new Map());
  await overrule(root, 'p', ONE, { verdict: 'reject', reason: 'no' });
  await overrule(root, 'p', ONE, { verdict: 'accept', reason: 'yes' });
  const kept = new Map([['gh/1', { verdict: 'accept', reason: 'yes' }]]);
  expect(await overrulesOf(root, 'p', [{ ...ONE, labels: ['p1'] }, report('gh/2', 'Save', 'Nothing happens')])).toEqual(
    kept,
  );
  expect(await overrulesOf(root, 'p', [{ ...ONE, body: 'Nothing happens!' }])).toEqual(new Map());
  expect(await overrulesOf(root, 'p', [{ ...ONE, title: 'Store' }])).toEqual(new Map());
});

it('E3 a damaged one is named with its fix', async () => {
  await overrule(root, 'p', ONE, { verdict: 'reject', reason: 'no' });
  const dir = join(projectDir(root, 'p'), 'triage', 'overruled');
  const [name = ''] = await readdir(dir);
  await writeFile(join(dir, name), '{"version":1');
  await expect(overrulesOf(root, 'p', [ONE])).rejects.toThrow(
    'Remove the file, then accept or reject the report again',
  );
});
