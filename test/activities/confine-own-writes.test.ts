/**
 * Confinement: what ralphctl itself writes into the user's checkout while an agent runs is nobody's change; an edit
 * before or after it still is. Real git and files. Features: C5 (a person is asked), B6 (a warning), C1 (sync).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownWrites } from '../../src/git/confinement/own-writes.js';
import { findWall, raiseWall } from '../../src/git/confinement/wall.js';
import { syncCheckout } from '../../src/git/landing/sync.js';
import { type Guard, guard } from '../../src/jobs/confine/guard.js';
import { tickUntracked } from '../../src/jobs/tick-untracked.js';
import type { RunFile } from '../../src/run-files/shapes.js';
import { makeRepo, put, read, sh, type TestRepo } from '../unit/git/repo.js';

const TEN = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
let repo: TestRepo;
let watch: Guard;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': TEN, 'b.txt': 'bee\n' });
  await put(repo.root, { 'a.txt': TEN.replace('l1', 'mine') });
  const worktree = join(repo.worktreesRoot, 'ed-001-i-1');
  await mkdir(repo.worktreesRoot);
  await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', worktree);
  const place = { commonDir: join(repo.root, '.git'), root: repo.root, linked: [], dir: join(repo.scratch, 'wall') };
  await raiseWall(place, '2026-01-01T00:00:00.000Z');
  await findWall(place);
  await landBehind({ 'a.txt': TEN.replace('l9', 'theirs') });
  // File system clocks have a coarse resolution.
  await passed(Date.now() + 40);
  await begin('first');
});
afterEach(() => repo.remove());

async function begin(name: string): Promise<void> {
  const dir = join(repo.scratch, name);
  await mkdir(dir);
  const worktree = join(repo.worktreesRoot, 'ed-001-i-1');
  const outputFile = join(dir, 'output.log');
  await writeFile(outputFile, '');
  const about = { repo: repo.root, worktree, branch: 'ralph/i-1', dir, outputFile };
  watch = await guard({ ...about, idea: 'i-1', runId: repo.root, agentName: 'ed-001' }, true);
}

async function passed(time: number): Promise<void> {
  while (Date.now() <= time) await new Promise((resolve) => setImmediate(resolve));
}

/** As a landing leaves a checkout whose edits were in the way: the branch has moved, index and files have not. */
async function landBehind(files: Record<string, string>): Promise<void> {
  const other = join(repo.scratch, 'other');
  const base = await sh(repo.root, 'rev-parse', 'main');
  await sh(repo.root, 'worktree', 'add', '-q', '--detach', other, 'main');
  await put(other, files);
  await sh(other, 'commit', '-q', '-a', '-m', 'landed');
  const tip = await sh(other, 'rev-parse', 'HEAD');
  await sh(repo.root, 'worktree', 'remove', '--force', other);
  await sh(repo.root, 'update-ref', 'refs/ralphctl/checkout-base/main', base);
  await sh(repo.root, 'update-ref', 'refs/heads/main', tip);
}

/** What it says about files. */
async function noticed(): Promise<string | undefined> {
  watch.ended();
  expect(await watch.check()).toBeUndefined();
  return (await watch.notice())?.match(/in your checkout .*/)?.[0];
}

describe('a sync while an agent runs', () => {
  it('C1 B6 its merged files raise no warning', async () => {
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['a.txt'] });
    expect(await read(repo.root, 'a.txt')).toBe(TEN.replace('l1', 'mine').replace('l9', 'theirs'));
    expect(await noticed()).toBeUndefined();
  });

  it('C1 B6 nor do its conflict markers', async () => {
    await landBehind({ 'a.txt': TEN.replace('l1', 'other') });
    expect(await syncCheckout(repo.root, 'main', { conflicts: true })).toMatchObject({ conflicts: ['a.txt'] });
    expect(await noticed()).toBeUndefined();
  });

  it('C1 B6 nor do two in a row', async () => {
    await syncCheckout(repo.root, 'main');
    await landBehind({ 'a.txt': TEN.replace('l9', 'theirs').replace('l5', 'again') });
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['a.txt'] });
    expect(await noticed()).toBeUndefined();
  });

  it('C5 B6 what somebody else wrote meanwhile does', async () => {
    const file = join(repo.root, 'b.txt');
    const written = await ownWrites(repo.root, [file]);
    await put(repo.root, { 'b.txt': 'of an agent\n' });
    await written(async () => new Set([file]));
    expect(await noticed()).toMatch(/^in your checkout b\.txt changed while i-1/);
  });

  it('C5 B6 an edit after it does', async () => {
    await syncCheckout(repo.root, 'main');
    await put(repo.root, { 'a.txt': 'after\n' });
    expect(await noticed()).toMatch(/^in your checkout a\.txt changed while i-1/);
  });

  it('F5 B6 the tick of a backlog that git does not track raises none, either', async () => {
    const file = join(repo.root, 'prd.json');
    const story = { id: 'US-1', title: 'Do it', passes: false };
    await put(repo.root, { 'prd.json': JSON.stringify({ userStories: [story] }) });
    await passed(Date.now() + 40);
    await begin('second');
    const run = { project: 'p', repo: repo.root, backlog: { file, format: 'prd' } } as unknown as RunFile;
    await tickUntracked(repo.scratch, run, [{ file, place: undefined, ids: ['US-1'], beside: new Map() }]);
    expect(await read(repo.root, 'prd.json')).toContain('true');
    expect(await noticed()).toBeUndefined();
  });

  it('C5 B6 an edit before it, while the agent ran, does', async () => {
    await put(repo.root, { 'a.txt': TEN.replace('l1', 'an agent') });
    await syncCheckout(repo.root, 'main');
    expect(await noticed()).toMatch(/^in your checkout a\.txt changed while i-1/);
  });
});
