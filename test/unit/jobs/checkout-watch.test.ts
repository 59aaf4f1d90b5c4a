/** Whose runs a change of the checkout is told with: only of agents that ran at that moment. Features: D1 A5. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedLately, firstLook, present, whoRan } from '../../../src/jobs/confine/checkout-watch.js';
import { makeRepo, put, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
});
afterEach(() => repo.remove());

/** File system clocks have a coarse resolution, and a watch allows for it. */
async function later(): Promise<void> {
  const now = Date.now();
  while (Date.now() <= now + 60) await new Promise((resolve) => setImmediate(resolve));
}

const file = (path: string, at: number) => ({ path, at, untracked: false });

describe('D1: a file of the checkout', () => {
  it('that changed before the agent began is not told with it, and a change of it by the agent is', async () => {
    const { root } = repo;
    const about = { runId: randomUUID(), since: Date.now() };
    const told = async (again = false) => (await changedLately(root, { ...about, again })).map(({ path }) => path);
    await firstLook(root);
    await put(root, { 'a.txt': 'while it is prepared\n', 'new.txt': 'x\n' });
    await later();
    const end = present(root, { idea: 'i-1', agentName: 'ed-001' });
    expect(await told()).toEqual([]);
    await put(root, { 'b.txt': 'while it runs\n' });
    expect(await told()).toEqual(['b.txt']);
    await put(root, { 'a.txt': 'while it runs\n' });
    expect(await told()).toEqual(['a.txt']);
    await later();
    end();
    await later();
    await put(root, { 'b.txt': 'after it\n' });
    expect(await told()).toEqual([]);
    // When the agent of a lost worker ran, nobody knows.
    expect(await told(true)).toEqual(['new.txt']);
  });

  it('names the idea where its agent ran in a worker that is lost', () => {
    expect(whoRan(`/${randomUUID()}`, [file('b.txt', Date.now())], 'i-1')).toBe('i-1');
  });

  it('names the reporting idea first', () => {
    const root = `/${randomUUID()}`;
    present(root, { idea: 'i-2', agentName: 'bo-002' });
    present(root, { idea: 'i-1', agentName: 'ed-001' });
    expect(whoRan(root, [file('b.txt', Date.now())], 'i-1')).toBe('i-1 (ed-001), i-2 (bo-002)');
  });
});
