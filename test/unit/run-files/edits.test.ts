import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastEdit, readEdit, writeEdit } from '../../../src/run-files/edits.js';

let root: string;
const ref = { project: 'p', runId: 'r' };
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-edits-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('edits of ideas', () => {
  it('C2: a revision holds everything edited so far, and older ones stay as they were', async () => {
    expect(await lastEdit(root, ref, 'a')).toEqual({ revision: 0, edit: {} });
    expect(await writeEdit(root, ref, 'a', { text: 'one' })).toBe(1);
    expect(await writeEdit(root, ref, 'a', { title: 'Two' })).toBe(2);
    expect(await readEdit(root, ref, 'a', 1)).toEqual({ text: 'one' });
    expect(await lastEdit(root, ref, 'a')).toEqual({ revision: 2, edit: { text: 'one', title: 'Two' } });
    expect(await readEdit(root, ref, 'b', 1)).toBeUndefined();
  });

  it('C2: edits at the same moment get numbers of their own', async () => {
    const all = await Promise.all(['x', 'y', 'z'].map((text) => writeEdit(root, ref, 'a', { text })));
    expect(all.sort()).toEqual([1, 2, 3]);
  });
});
