/**
 * JUnit reports of a gate command.
 * Invariant: only regular files below the worktree that changed while the command ran, whatever the clock did; bounded
 * in number and size.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { TestCounts } from '../../protocol/gate.js';
import { failingCases, MOST_NAMED } from './failing-tests.js';
import { junitNames, MOST_NAMES, type Names, put } from './names.js';
import { junit, sum } from './summaries.js';

const MAX_FILES = 500;
const MAX_BYTES = 16 << 20;
const MAX_ENTRIES = 200_000;
const PRUNED = new Set(['.git', 'node_modules', '.venv']);

/** Distinguishes states of a file, by path. */
type Stamps = ReadonlyMap<string, string>;

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`;

/** Reports that exist before the command runs. */
export async function reportStamps(worktree: string, globs: readonly string[]): Promise<Stamps> {
  const stamps = new Map<string, string>();
  if (globs.length === 0) return stamps;
  for (const file of await matching(worktree, globs)) {
    const info = await lstat(file, { bigint: true }).catch(() => undefined);
    if (info) stamps.set(file, stampOf(info));
  }
  return stamps;
}

/** The combined counts of all changed reports; undefined when there is none. `relative` makes names free of their place. */
export async function readReports(
  worktree: string,
  globs: readonly string[],
  before: Stamps,
  relative: (text: string) => string,
): Promise<{ tests: TestCounts; failing: string[]; names: Names | undefined } | undefined> {
  const found: Array<TestCounts | undefined> = [];
  const failing = new Set<string>();
  const names: Names = { passed: [], skipped: [] };
  for (const file of await matching(worktree, globs)) {
    const info = await lstat(file, { bigint: true }).catch(() => undefined);
    if (!info?.isFile() || info.size > MAX_BYTES || before.get(file) === stampOf(info)) continue;
    const xml = relative(await readFile(file, 'utf8').catch(() => ''));
    found.push(junit(xml));
    for (const name of failingCases(xml)) if (failing.size < MOST_NAMED) failing.add(name);
    if (names.passed.length + names.skipped.length <= MOST_NAMES) for (const one of junitNames(xml)) put(names, one);
  }
  const tests = sum(found);
  const whole = names.passed.length + names.skipped.length <= MOST_NAMES;
  return tests && { tests, failing: [...failing].sort(), names: whole ? names : undefined };
}

async function matching(root: string, globs: readonly string[]): Promise<string[]> {
  const safe = globs.filter((glob) => glob !== '' && !glob.startsWith('/') && !glob.split('/').includes('..'));
  const isMatch = picomatch(safe, { dot: true });
  const files: string[] = [];
  const bases = [...new Set(safe.map((glob) => picomatch.scan(glob).base))];
  // A base inside another would be walked twice.
  const roots = bases.filter(
    (base) => !bases.some((other) => other !== base && (other === '' || base.startsWith(`${other}/`))),
  );
  let left = MAX_ENTRIES;
  const todo = [...roots];
  for (let dir = todo.pop(); dir !== undefined && left > 0 && files.length < MAX_FILES; dir = todo.pop()) {
    const here = await readdir(join(root, dir), { withFileTypes: true }).catch(() => undefined);
    if (!here) {
      if (isMatch(dir)) files.push(join(root, dir));
      continue;
    }
    left -= here.length;
    for (const entry of here) {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`;
      if (entry.isDirectory() && !PRUNED.has(entry.name)) todo.push(path);
      else if (entry.isFile() && isMatch(path)) files.push(join(root, path));
    }
  }
  return files.slice(0, MAX_FILES);
}
