/**
 * Confinement: what ralphctl itself writes into the user's checkout while an agent runs is nobody's change; an edit
 * before or after it still is. Real git and files. Features: C5 (a person is asked), B6 (a warning), C1 (sync).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
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
  await raiseWall(placeOf(), BEGUN);
  await findWall(placeOf());
  await landBehind({ 'a.txt': TEN.replace('l9', 'theirs') });
  // File system clocks have a coarse resolution.
  await passed(Date.now() + 40);
  await begin('first');
});
afterEach(() => repo.remove());

const BEGUN = '2026-01-01T00:00:00.000Z';
const placeOf = () => ({
  ...{ commonDir: join(repo.root, '.git'), root: repo.root, linked: [] },
  dir: join(repo.scratch, 'wall'),
});

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
  await sh(other, 'add', '-A');
  await sh(other, 'commit', '-q', '-m', 'landed');
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

const SYNC_REF = 'refs/ralphctl/checkout-sync/checkout-base/main';
const MERGED = TEN.replace('l1', 'mine').replace('l9', 'theirs');

/** git writes files with a filter one by one, in their order. */
const ATTRIBUTES = '*.trap filter=trap\na.txt filter=pass\n';

/** In a process of its own, which the filter kills once git has written a.txt. */
async function syncKilled(): Promise<void> {
  await put(repo.scratch, {
    'trap.sh': `text=$(cat)
if [ "$text" = new ] && rm '${repo.scratch}/armed' 2>/dev/null; then
  up=$$; pids=
  until [ "$(cat /proc/$up/comm)" = node ]; do
    up=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/$up/stat)
    pids="$up $pids"
  done
  kill -9 $pids
fi
printf '%s\\n' "$text"
`,
    armed: '',
    'apart.ts': ['git/confinement/wall.js', 'git/landing/sync.js']
      .map((path) => `export * from ${JSON.stringify(join(process.cwd(), 'src', path))};\n`)
      .join(''),
  });
  await sh(repo.root, 'config', 'filter.trap.smudge', `sh '${repo.scratch}/trap.sh'`);
  await sh(repo.root, 'config', 'filter.trap.clean', 'cat');
  for (const way of ['smudge', 'clean']) await sh(repo.root, 'config', `filter.pass.${way}`, 'cat');
  const outfile = join(repo.scratch, 'apart.cjs');
  const entryPoints = [join(repo.scratch, 'apart.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  const call = `const apart = require(${JSON.stringify(outfile)});
apart.raiseWall(${JSON.stringify(placeOf())}, '${BEGUN}').then(() => apart.syncCheckout(${JSON.stringify(repo.root)}, 'main'))`;
  const child = spawn(process.execPath, ['-e', call], { stdio: 'inherit' });
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
  expect(await sh(repo.root, 'for-each-ref', '--format=%(refname)', SYNC_REF)).toBe(SYNC_REF);
  expect(await read(repo.root, 'a.txt')).toBe(MERGED);
}

describe('a sync that was killed while an agent runs, and that the next one ends', () => {
  beforeEach(async () => {
    await landBehind({ '.gitattributes': ATTRIBUTES, 'z.trap': 'new\n' });
    await sh(repo.root, 'update-ref', 'refs/ralphctl/checkout-base/main', 'main~2');
    await passed(Date.now() + 40);
    await begin('third');
    await syncKilled();
    await passed(Date.now() + 40);
  });

  it('C1 B6 its merged files raise no warning where it is undone and done again', async () => {
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['a.txt'] });
    expect(await read(repo.root, 'a.txt')).toBe(MERGED);
    expect(await noticed()).toBeUndefined();
    expect((await readdir(placeOf().dir)).filter((name) => name.startsWith('own-writes'))).toEqual(['own-writes.json']);
  });

  it('C1 B6 nor where only its record was left to remove', async () => {
    const { index } = JSON.parse(await sh(repo.root, 'show', '-s', '--format=%b', SYNC_REF)) as { index: string };
    await put(repo.root, { '.gitattributes': ATTRIBUTES, 'z.trap': 'new\n' });
    await sh(repo.root, 'read-tree', index);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['a.txt'] });
    expect(await read(repo.root, 'a.txt')).toBe(MERGED);
    expect(await noticed()).toBeUndefined();
  });

  it('C5 B6 an edit between the two does', async () => {
    await put(repo.root, { 'a.txt': MERGED.replace('l5', 'an agent') });
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['a.txt'] });
    expect(await read(repo.root, 'a.txt')).toContain('an agent');
    expect(await noticed()).toMatch(/^in your checkout a\.txt changed while i-1/);
  });
});
