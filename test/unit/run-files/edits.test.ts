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

  it('C2: whoever looks while edits are written finds whole ones', async () => {
    const text = 'x'.repeat(1_000_000);
    const look = async (): Promise<void> => {
      for (let revision = 1; revision <= 20; ) {
        const found = await readEdit(root, ref, 'a', revision);
        if (found === undefined) continue;
        expect(found.text).toHaveLength(text.length);
        revision++;
      }
    };
    const write = async (): Promise<void> => {
      for (let n = 0; n < 10; n++) await writeEdit(root, ref, 'a', { text });
    };
    await Promise.all([look(), look(), write(), write()]);
    expect((await lastEdit(root, ref, 'a')).revision).toBe(20);
  });
});
