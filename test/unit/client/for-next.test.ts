/** What a model takes over from the commands that wait for the next start. Feature: C3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeForNext } from '../../../src/client/model/for-next.js';
import { fold, newModel } from '../../../src/model/fold.js';
import { noteAbandoned } from '../../../src/run-files/carried.js';
import { keep } from '../../../src/run-files/kept.js';
import { listsOf } from '../../../src/screen/lists.js';
import { idea } from '../screen/shop.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-for-next-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const at = new Date(0).toISOString();

it('C3: after the run, what was given up, skipped or rolled back is not next, and what a person wants again is', async () => {
  const ids = ['plain', 'given-up', 'skipped', 'rolled-back', 'again'];
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    ids.map((id) => idea(id, id)),
  );
  fold(model, { at, kind: 'idea', idea: 'again', title: 'again', status: 'abandoned' });
  fold(model, { at, kind: 'run', state: 'completed', landed: 0, total: 5 });
  expect(listsOf(model).ready).toEqual(['plain', 'given-up', 'skipped', 'rolled-back']);
  await noteAbandoned(root, 'p', 'given-up');
  await keep(root, 'p', 'skipped', { verb: 'skip', at });
  await keep(root, 'p', 'rolled-back', { verb: 'rollback', at });
  await keep(root, 'p', 'again', { verb: 'retry', at });
  expect(await takeForNext(root, model)).toBe(true);
  model.events += 1;
  expect(listsOf(model).ready).toEqual(['plain', 'again']);
  expect(model.counts).toMatchObject({ todo: 2, skipped: 3, total: 5 });
  expect(await takeForNext(root, model)).toBe(false);
  // A retry takes the decision back.
  await keep(root, 'p', 'given-up', { verb: 'retry', at });
  expect(await takeForNext(root, model)).toBe(true);
  model.events += 1;
  expect(listsOf(model).ready).toEqual(['plain', 'given-up', 'again']);
});
