/** `ralphctl sync` that a kill or a full disk broke off: the next one undoes or finishes it, and no edit is lost. C1 F2 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import { type Synced, syncCheckout } from '../../../../src/git/landing/sync.js';
import { SYNC_LIMITS } from '../../../../src/git/landing/sync-record.js';
import { listSaves } from '../../../../src/git/saves/saves.js';
import { canMount } from '../../../chaos/lib/sandbox.js';
import { commitFiles, makeRepo, put, read, sh, shell, type TestRepo } from '../repo.js';

const mountable = await canMount();
const TEN = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
/** git writes so many files by turns, after it has removed all of them. */
const MANY = Array.from({ length: 120 }, (_, n) => `f${String(n).padStart(3, '0')}.txt`);
const many = (text: string) => Object.fromEntries(MANY.map((path) => [path, text.repeat(20)]));
const { leftGit } = SYNC_LIMITS;
let repo: TestRepo;

/** Its filter, once armed, does this to the git that writes `m.trap`, and to the processes above it. */
async function trap(does: 'kill all' | 'kill node and wait'): Promise<void> {
  const all = does === 'kill all';
  await put(repo.scratch, {
    'trap.sh': `text=$(cat)
if [ "$text" = new ] && rm '${repo.scratch}/armed' 2>/dev/null; then
  up=$$; pids=
  until [ "$(cat /proc/$up/comm)" = node ]; do
    up=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' /proc/$up/stat)
    pids="$up $pids"
  done
  ${all ? 'kill -9 $pids' : `kill -9 $up; touch '${repo.scratch}/waits'; while [ -e '${repo.scratch}/waits' ]; do sleep 0.05; done`}
fi
printf '%s\\n' "$text"
`,
    armed: '',
  });
}

beforeEach(async () => {
  repo = await makeRepo({
    ...many('old\n'),
    ...{ '.gitattributes': '*.trap filter=trap\n', 'm.trap': 'old\n', 'e-shared.txt': TEN, 'zed.txt': TEN },
    ...{ 'gone/old.txt': 'old\n', flip: 'old\n', 'flop/in.txt': 'old\n' },
  });
  await put(repo.scratch, { 'trap.sh': 'cat\n' });
  await sh(repo.root, 'config', 'filter.trap.smudge', `sh '${repo.scratch}/trap.sh'`);
  await sh(repo.root, 'config', 'filter.trap.clean', 'cat');
});
afterEach(async () => {
  SYNC_LIMITS.leftGit = leftGit;
  await rm(join(repo.scratch, 'waits'), { force: true });
  await repo.remove();
});

async function landBehind(files: Record<string, string>, gone: string[] = []): Promise<string> {
  const other = join(repo.scratch, 'other');
  const base = await sh(repo.root, 'rev-parse', 'main');
  await sh(repo.root, 'worktree', 'add', '-q', '--detach', other, 'main');
  for (const path of gone) await rm(join(other, path), { recursive: true });
  await put(other, files);
  const tip = await commitFiles(other, {}, 'landed');
  await sh(repo.root, 'worktree', 'remove', '--force', other);
  await sh(repo.root, 'update-ref', 'refs/ralphctl/checkout-base/main', base);
  await sh(repo.root, 'update-ref', 'refs/heads/main', tip);
  return tip;
}

const NEW = { ...many('new\n'), 'm.trap': 'new\n', 'fresh/new.txt': 'n\n', 'flip/in.txt': 'new\n', flop: 'new\n' };
/** A staged and a later edit of a landed file, and an edit elsewhere. */
async function lag(staged = true): Promise<void> {
  await put(repo.root, {
    'e-shared.txt': TEN.replace('l1', 'STAGED'),
    'zed.txt': `${TEN}other\n`,
    'mine.txt': 'mine\n',
  });
  if (staged) await sh(repo.root, 'add', 'e-shared.txt');
  await put(repo.root, { 'e-shared.txt': `${TEN.replace('l1', 'STAGED').replace('l5', 'LATER')}` });
  await landBehind({ ...NEW, 'e-shared.txt': TEN.replace('l9', 'theirs') }, ['gone', 'flip', 'flop']);
}
const MERGED = TEN.replace('l1', 'STAGED').replace('l5', 'LATER').replace('l9', 'theirs');

/** A process of its own, which is killed. */
async function syncApart(): Promise<ChildProcess> {
  const outfile = join(repo.scratch, 'sync.cjs');
  const entry = join(process.cwd(), 'src/git/landing/sync.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  const call = `require(${JSON.stringify(outfile)}).syncCheckout(${JSON.stringify(repo.root)}, 'main')`;
  return spawn(process.execPath, ['-e', call], { stdio: 'inherit' });
}
const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
const status = async () => (await sh(repo.root, 'status', '--porcelain')).split('\n').filter(Boolean);

async function expectDone(): Promise<void> {
  expect(await status()).toEqual(['MM e-shared.txt', ' M zed.txt', '?? mine.txt']);
  expect(await read(repo.root, 'e-shared.txt')).toBe(MERGED);
  expect(await sh(repo.root, 'show', ':e-shared.txt')).toBe(MERGED.replace('LATER', 'l5').trimEnd());
  expect(await read(repo.root, 'zed.txt')).toBe(`${TEN}other\n`);
  expect(await read(repo.root, 'fresh/new.txt')).toBe('n\n');
  expect([await read(repo.root, 'flip/in.txt'), await read(repo.root, 'flop')]).toEqual(['new\n', 'new\n']);
  expect((await shell(repo.root, 'git for-each-ref refs/ralphctl/checkout-sync refs/ralphctl/checkout-base')).out).toBe(
    '',
  );
}

/** Killed with its git, in the middle of the files. */
async function killed(staged = true): Promise<void> {
  await lag(staged);
  await trap('kill all');
  expect(await ended(await syncApart())).toBe('SIGKILL');
  const now = await status();
  expect(now.length).toBeGreaterThan(100);
  expect(await read(repo.root, 'e-shared.txt').catch(() => 'gone')).not.toBe(MERGED.replace('theirs', 'l9'));
}

describe('C1 a sync that was killed with its git', () => {
  it('is undone and done again by the next one, with every edit', async () => {
    await killed();
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([
      expect.stringMatching(/because a sync of it has not ended\. .*First run: ralphctl sync/),
    ]);
    const done = await syncCheckout(repo.root, 'main');
    expect(done).toMatchObject({ merged: ['e-shared.txt'], conflicts: [], saved: 'refs/ralphctl/save/checkout/1' });
    await expectDone();
    expect((await listSaves(repo.root, 'checkout')).length).toBe(1);
  });

  it('and after which an idea landed: it ends with that one', async () => {
    await killed();
    const other = join(repo.scratch, 'other');
    await sh(repo.root, 'worktree', 'add', '-q', '--detach', other, 'main');
    const tip = await commitFiles(other, { 'later.txt': 'later\n', 'f003.txt': 'newer\n' }, 'landed later');
    await sh(repo.root, 'update-ref', 'refs/heads/main', tip);
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['e-shared.txt'], conflicts: [] });
    await expectDone();
    expect([await read(repo.root, 'later.txt'), await read(repo.root, 'f003.txt')]).toEqual(['later\n', 'newer\n']);
  });

  it('with a file that is cut off, one that a person wrote since, and all of it staged', async () => {
    await killed();
    await put(repo.root, { 'f001.txt': 'new\n'.repeat(7), 'f002.txt': `${'old\n'.repeat(20)}mine since\n` });
    await sh(repo.root, 'add', '-A', ':!mine.txt');
    await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(
      /interrupted.*undone.*save checkout 1 .* f001\.txt seemed cut off; .* save checkout 2 .*same lines of f002\.txt in .*--conflicts/s,
    );
    expect(await read(repo.root, 'f002.txt')).toBe(`${'old\n'.repeat(20)}mine since\n`);
    expect(await read(repo.root, 'f001.txt')).toBe('old\n'.repeat(20));
    await put(repo.root, { 'f002.txt': 'old\n'.repeat(20) });
    const done = await syncCheckout(repo.root, 'main');
    expect(done).toMatchObject({ conflicts: [] });
    expect(await read(repo.root, 'f002.txt')).toBe('new\n'.repeat(20));
    expect(await read(repo.root, 'e-shared.txt')).toBe(MERGED);
  });

  it('and after which a person took the branch: what they did counts, and the save is named', async () => {
    await killed();
    await sh(repo.root, 'reset', '-q', '--hard');
    const done = await syncCheckout(repo.root, 'main');
    expect(done).toMatchObject({ interrupted: 'refs/ralphctl/save/checkout/1' });
    expect(await status()).toEqual(['?? mine.txt']);
    expect(await sh(repo.root, 'show', 'refs/ralphctl/save/checkout/1:e-shared.txt')).toContain('LATER');
    expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  });

  it.each([true, false])('and after which a person reset the index alone (with staged edits: %s)', async (staged) => {
    await killed(staged);
    await sh(repo.root, 'reset', '-q');
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await read(repo.root, 'e-shared.txt')).toBe(MERGED);
    expect(await status()).toEqual([' M e-shared.txt', ' M zed.txt', '?? mine.txt']);
    expect(await syncCheckout(repo.root, 'main')).toBeUndefined();
  });

  it('and after which the index is removed: it is named, and once it is back, nothing is lost', async () => {
    await killed();
    await rm(join(repo.root, '.git/index'));
    const files = await readdir(repo.root);
    expect((await checkoutsBehind(repo.root, 'main')).join()).toMatch(
      /the index of .* is gone.*First rebuild it \(git -C .* reset -q\), then run: ralphctl sync/,
    );
    for (const conflicts of [false, true])
      await expect(syncCheckout(repo.root, 'main', { conflicts })).rejects.toMatchObject({
        problem: `The index of ${repo.root} is gone. Nothing was changed.`,
        fix: `Rebuild it (git -C '${repo.root}' reset -q), then run: ralphctl sync`,
      });
    expect((await shell(repo.root, 'test -e .git/index')).code).toBe(1);
    expect(await readdir(repo.root)).toEqual(files);
    await sh(repo.root, 'reset', '-q');
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ conflicts: [] });
    expect(await read(repo.root, 'e-shared.txt')).toBe(MERGED);
    expect(await status()).toEqual([' M e-shared.txt', ' M zed.txt', '?? mine.txt']);
  });

  it('or between files, index and record', async () => {
    await lag();
    const before = join(repo.scratch, 'index-before');
    await shell(repo.root, `cp .git/index '${before}'`);
    await trap('kill all');
    await ended(await syncApart());
    const record = await sh(repo.root, 'rev-parse', 'refs/ralphctl/checkout-sync/checkout-base/main');
    const base = await sh(repo.root, 'rev-parse', 'refs/ralphctl/checkout-base/main');
    await syncCheckout(repo.root, 'main');
    await expectDone();
    for (const index of ['after', 'before']) {
      if (index === 'before') await shell(repo.root, `cp '${before}' .git/index`);
      await sh(repo.root, 'update-ref', 'refs/ralphctl/checkout-sync/checkout-base/main', record);
      await sh(repo.root, 'update-ref', 'refs/ralphctl/checkout-base/main', base);
      expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['e-shared.txt'], conflicts: [] });
      await expectDone();
    }
  });
});

it('C1 waits for the git that a killed sync left, or names it', async () => {
  await lag();
  await trap('kill node and wait');
  expect(await ended(await syncApart())).toBe('SIGKILL');
  await expect.poll(() => shell(repo.scratch, 'test -e waits').then(({ code }) => code), { timeout: 20_000 }).toBe(0);
  SYNC_LIMITS.leftGit = 200;
  await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(
    /Another sync still writes to .* process \d+ .*run: ralphctl sync/,
  );
  SYNC_LIMITS.leftGit = leftGit;
  let done: Synced | undefined;
  const next = syncCheckout(repo.root, 'main').then((got) => (done = got));
  await rm(join(repo.scratch, 'waits'));
  await next;
  expect(done).toMatchObject({ merged: ['e-shared.txt'], conflicts: [] });
  await expectDone();
});

it.skipIf(!mountable)('C1 C6 at a full disk says so, leaves every file as it was, and goes on with room', async () => {
  await commitFiles(repo.root, { 'big1.txt': 'x\n', 'big2.txt': 'x\n', 'big3.txt': 'x\n' }, 'big');
  await sh(repo.root, 'switch', '-q', '-c', 'feature');
  const checkout = join(repo.scratch, 'small disk');
  await mkdir(checkout);
  await shell(checkout, 'mount -t tmpfs -o size=3m tmpfs .');
  try {
    await sh(repo.root, 'worktree', 'add', '-q', checkout, 'main');
    await put(checkout, { 'e-shared.txt': TEN.replace('l1', 'mine') });
    const big = (text: string) => Object.fromEntries([1, 2, 3].map((n) => [`big${n}.txt`, text.repeat(900_000)]));
    await landBehind({ ...big('y'), 'e-shared.txt': TEN.replace('l9', 'theirs') }, ['gone']);
    await shell(checkout, 'head -c 1000000 /dev/zero > fill.bin');
    const before = await sh(checkout, 'status', '--porcelain', '-uall');
    await expect(syncCheckout(repo.root, 'main')).rejects.toThrow(
      /disk of .*small disk is full.*Every file there is as before.*Free disk space \(df -h .*small disk'\), then run: ralphctl sync/s,
    );
    expect(await sh(checkout, 'status', '--porcelain', '-uall')).toBe(before);
    expect(await sh(checkout, 'diff', '--name-only')).toBe('e-shared.txt\n'.trimEnd());
    await rm(join(checkout, 'fill.bin'));
    await shell(checkout, 'mount -o remount,size=9m .');
    expect(await syncCheckout(repo.root, 'main')).toMatchObject({ merged: ['e-shared.txt'], conflicts: [] });
    expect(await sh(checkout, 'status', '--porcelain')).toBe(' M e-shared.txt');
    expect(await read(checkout, 'e-shared.txt')).toBe(TEN.replace('l1', 'mine').replace('l9', 'theirs'));
  } finally {
    await shell(repo.root, `umount --lazy '${checkout}'`);
  }
});

it.skipIf(!mountable)('C1 C6 with the whole repository on a full disk names it, and nothing is changed', async () => {
  const root = join(repo.scratch, 'full disk');
  await mkdir(root);
  await shell(root, 'mount -t tmpfs -o size=3m tmpfs .');
  try {
    await shell(root, `git clone -q --no-hardlinks '${repo.root}' . && git config filter.trap.smudge cat`);
    repo = { ...repo, root };
    await put(root, { 'e-shared.txt': TEN.replace('l1', 'mine') });
    await landBehind({ 'e-shared.txt': TEN.replace('l9', 'theirs') });
    const state = () => sh(root, 'status', '--porcelain', '-uall');
    const shown = () => read(root, 'e-shared.txt');
    await put(root, { 'fill.bin': '' });
    const before = [await state(), await shown(), await listSaves(root, 'checkout')];
    await shell(root, 'head -c 4000000 /dev/zero > fill.bin');
    await expect(syncCheckout(root, 'main')).rejects.toMatchObject({
      name: 'RepositoryError',
      message: expect.stringMatching(
        /^The disk of .*full disk is full, so .*\. Nothing was changed\. Free disk space \(df -h .*full disk'\), then run: ralphctl sync$/,
      ),
    });
    expect([await state(), await shown(), await listSaves(root, 'checkout')]).toEqual(before);
    await rm(join(root, 'fill.bin'));
    expect(await syncCheckout(root, 'main')).toMatchObject({ merged: ['e-shared.txt'], conflicts: [] });
  } finally {
    await shell(repo.scratch, `umount --lazy '${root}'`);
  }
});

it('C1 names few of many files', async () => {
  await put(repo.root, many('mine\n'));
  await landBehind(many('new\n'));
  const error = await syncCheckout(repo.root, 'main').catch((got: Error) => got);
  expect(String(error)).toMatch(/same lines of f000\.txt, f001\.txt, f002\.txt and 117 more in/);
  await writeFile(join(repo.root, 'f000.txt'), 'x');
});
