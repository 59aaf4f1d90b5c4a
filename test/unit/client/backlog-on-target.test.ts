/** A backlog that the target has and that cannot be read there: the warning names the cause, not lines that are missing. Features: A4. */
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBacklog } from '../../../src/backlog/index.js';
import { notCommitted, notCommittedLines } from '../../../src/client/open-run/not-committed.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';

const GOOD = '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n';
let repo: TestRepo;
let file: string;
beforeEach(async () => {
  repo = await makeRepo({ 'roadmap.md': GOOD });
  file = join(repo.root, 'roadmap.md');
});
afterEach(() => repo.remove());

/** The warning of `start` about ideas of the checkout's backlog. */
async function warning(): Promise<string | undefined> {
  const backlog = { root: repo.root, target: 'main', file };
  return notCommittedLines(backlog, await notCommitted(backlog, (await readBacklog(file)).ideas))[0];
}

it('is no matter where it is readable, and names lines that are missing', async () => {
  expect(await warning()).toBeUndefined();
  await writeFile(file, `${GOOD}- [ ] **a-3**: More\n`);
  expect(await warning()).toMatch(/^roadmap\.md on main does not contain a-3: .*git commit roadmap\.md$/);
});

it('invalid: the line, the problem and its fix', async () => {
  await commitFiles(repo.root, { 'roadmap.md': `${GOOD}- [ ] **a-1**: Again\n` }, 'break it');
  await writeFile(file, GOOD);
  expect(await warning()).toMatch(
    /^roadmap\.md on main cannot be read: line \d+: .*a-1.*\. When a-1, a-2 land.*Fix it on main/,
  );
});

it('too large, or not text', async () => {
  await commitFiles(repo.root, { 'roadmap.md': `${GOOD}\n${'x'.repeat(33 << 20)}\n` }, 'too much');
  await writeFile(file, GOOD);
  expect(await warning()).toMatch(/on main cannot be read: larger than 32 MB; split it into several files\./);
  await writeFile(file, Buffer.from([0x23, 0xff, 0xfe, 0x0a]));
  await sh(repo.root, 'commit', '-qam', 'no text');
  await writeFile(file, GOOD);
  expect(await warning()).toMatch(/on main cannot be read: it is not UTF-8 text there\./);
});

it('not a regular file: a link where the checkout has a file', async () => {
  await rm(file);
  await symlink('elsewhere.md', file);
  await sh(repo.root, 'commit', '-qam', 'a link');
  await rm(file);
  await writeFile(file, GOOD);
  expect(await warning()).toMatch(/on main cannot be read: it is a symbolic link there\./);
});

it('a link in the checkout: the file that a landing ticks counts', async () => {
  await commitFiles(repo.root, { 'docs/plan.md': GOOD }, 'move it');
  await rm(file);
  await symlink('docs/plan.md', file);
  await sh(repo.root, 'commit', '-qam', 'a link');
  expect(await warning()).toBeUndefined();
});
