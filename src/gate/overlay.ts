/**
 * Replaces tests and gate files with those of the base over an idea's product code, in a worktree at the idea's head
 * that nobody commits from.
 * Invariant: nothing outside that worktree is written. Of a file that belongs to the gate only in part, only that part
 * is the base's.
 */
import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git/runner.js';
import { type Changed, type GateFilesInput, gateFiles, readAt } from './tripwires/gate-files.js';
import { graft, partOf } from './tripwires/parts.js';
import { testSupport } from './tripwires/test-support.js';

/** Files of the base that the work changed, and files that it added. */
export interface Overlay {
  restore: string[];
  remove: string[];
}

/** Undefined when the work leaves tests and gate files unchanged, or only adds tests. */
export async function findOverlay(input: GateFilesInput): Promise<Overlay | undefined> {
  const { belongsToTests, isTest, steers } = await gateFiles(input);
  const restore: string[] = [];
  const remove: string[] = [];
  let touched = false;
  const all = await changes(input);
  const there = all.flatMap(({ path, added }) => (added || belongsToTests(path) ? [] : [path]));
  const { worktree, base } = input;
  const support = await testSupport({ worktree, base, isTest, read: (path) => readAt(worktree, base, path) }, there);
  for (const change of all) {
    const steered = await steers(change);
    if (!steered && !belongsToTests(change.path) && !support.has(change.path)) continue;
    (change.added ? remove : restore).push(change.path);
    touched ||= steered || !change.added;
  }
  return touched ? { restore, remove } : undefined;
}

async function changes({ worktree, base }: GateFilesInput): Promise<Changed[]> {
  const args = ['diff', '--name-status', '-z', '--no-renames', '--no-ext-diff', base, 'HEAD'];
  const fields = (await git(worktree).result(args, { read: true })).stdout.split('\0');
  const found: Changed[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status, path] = [fields[at], fields[at + 1]];
    if (status && path) found.push({ path, added: status === 'A', deleted: status === 'D' });
  }
  return found;
}

/** `dir`: a worktree at the idea's head. Throws `GitError`. */
export async function layOver(dir: string, base: string, { restore, remove }: Overlay): Promise<void> {
  const parts = restore.filter((path) => partOf(path));
  const grafted = new Set<string>();
  for (const path of parts) if (await graftOne(dir, base, path)) grafted.add(path);
  const literal = ['--literal-pathspecs'];
  for (const some of chunks(remove)) await git(dir).run([...literal, 'rm', '-q', '-r', '-f', '--', ...some]);
  const whole = restore.filter((path) => !grafted.has(path));
  for (const some of chunks(whole)) await git(dir).run([...literal, 'checkout', '-q', base, '--', ...some]);
}

async function graftOne(dir: string, base: string, path: string): Promise<boolean> {
  const part = partOf(path);
  const [before, now] = await Promise.all([readAt(dir, base, path), readAt(dir, 'HEAD', path)]);
  const text = part && before !== undefined && now !== undefined ? graft(now, before, part) : undefined;
  // A link could point out of the worktree.
  const plain = (await lstat(join(dir, path)).catch(() => undefined))?.isFile();
  if (text === undefined || !plain) return false;
  await writeFile(join(dir, path), text);
  return true;
}

const MOST_PATHS = 200;

function chunks(paths: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < paths.length; at += MOST_PATHS) parts.push(paths.slice(at, at + MOST_PATHS));
  return parts;
}
