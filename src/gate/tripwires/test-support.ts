/**
 * Changed files outside test folders that only serve tests: helpers that tests import, and data that tests read.
 * Invariant: the base decides. A file that product code imports or names is product; bounded. Reads commits only.
 */
import { basename, dirname, join } from 'node:path/posix';
import { git } from '../../git/runner.js';
import { literal } from '../../protocol/pattern.js';
import { imported } from './imports.js';
import { ASSERTS, CODE_FILES, DATA_FILE, PRODUCT_FOLDER, SUPPORT_NAME, TEST_LIBRARY } from './patterns.js';

interface Input {
  worktree: string;
  /** Commit. */
  base: string;
  isTest: (path: string) => boolean;
  /** The text of a file of the base. */
  read: (path: string) => Promise<string | undefined>;
}

const MOST_PATHS = 300;
const MOST_USERS = 5;
/** A helper of a helper of a test. */
const MOST_DEPTH = 3;

/** `paths`: files of the base, top-relative. */
export async function testSupport(input: Input, paths: readonly string[]): Promise<Set<string>> {
  const some = paths.filter((path) => /\.(?:[cm]?[jt]sx?|py)$/.test(path) || DATA_FILE.test(path)).slice(0, MOST_PATHS);
  const users = await usersOf(input, some);
  const found = new Set<string>();
  for (const path of some) {
    const by = users.get(path) ?? [];
    if (await onlyTests(input, by, MOST_DEPTH)) if (DATA_FILE.test(path) || (await helps(input, path))) found.add(path);
  }
  return found;
}

/** A product of one file is also imported only by its tests, so a helper must show by its name or its imports. */
async function helps({ read }: Input, path: string): Promise<boolean> {
  const product = PRODUCT_FOLDER.test(path);
  if (!product && SUPPORT_NAME.test(path)) return true;
  const text = (await read(path)) ?? '';
  return TEST_LIBRARY.test(text) || (!product && ASSERTS.test(text));
}

async function onlyTests(input: Input, users: readonly string[], depth: number): Promise<boolean> {
  const others = users.filter((user) => !input.isTest(user));
  if (users.length === 0 || others.length === 0) return users.length > 0;
  if (depth === 0 || others.length > MOST_USERS) return false;
  const next = await usersOf(input, others);
  for (const other of others) {
    if (!(await onlyTests(input, next.get(other) ?? [], depth - 1)) || !(await helps(input, other))) return false;
  }
  return true;
}

/** The code of the base that imports or names each file. */
async function usersOf({ worktree, base }: Input, paths: readonly string[]): Promise<Map<string, string[]>> {
  const users = new Map<string, string[]>();
  if (paths.length === 0) return users;
  const patterns = [...new Set(paths.map(mention))].flatMap((pattern) => ['-e', pattern]);
  const args = ['grep', '-I', '-z', '--no-color', '--no-line-number', '--full-name', '-E', ...patterns, base, '--'];
  const got = await git(worktree).result([...args, ...CODE_FILES.map((end) => `:(top,glob)**/*.${end}`)], {
    ok: [0, 1],
    read: true,
  });
  for (const row of got.stdout.split('\n')) {
    const at = row.indexOf('\0');
    const user = row.slice(base.length + 1, at);
    const line = row.slice(at + 1);
    if (at < 0) continue;
    for (const path of paths) {
      if (path !== user && uses(user, line, path)) users.set(path, [...(users.get(path) ?? []), user]);
    }
  }
  return users;
}

/** The pattern of a line that imports or names the file. */
function mention(path: string): string {
  const name = basename(path);
  const stem = name.replace(/\.[^.]*$/, '');
  const quoted = (text: string, end: string): string => `['"\`/]${literal(text)}${end}['"\`]`;
  if (path.endsWith('.py')) {
    return `(import|from)[[:space:]].*${literal(stem === '__init__' ? basename(dirname(path)) : stem)}`;
  }
  if (DATA_FILE.test(path)) return quoted(name, '');
  return stem === 'index'
    ? `['"\`/.](index(\\.[a-z]+)?|${literal(basename(dirname(path)))}|\\.)/?['"\`]`
    : quoted(stem, '(\\.[a-z]+)?');
}

function uses(user: string, line: string, path: string): boolean {
  if (imported(user, line).some((paths) => paths.includes(path))) return true;
  return DATA_FILE.test(path) && names(user, line, path);
}

/** A quoted path with the same end as the file's; the name alone only where the line also names its folder. */
function names(user: string, line: string, path: string): boolean {
  const folder = basename(dirname(path));
  for (const [, , literal = ''] of line.matchAll(/(['"`])([^'"`]{1,300})\1/g)) {
    const text = literal.replace(/^(?:\.{0,2}\/)+/, '');
    if (text.includes('/') ? path === text || path.endsWith(`/${text}`) : text === basename(path)) {
      if (text.includes('/') || path === text || join(dirname(user), literal) === path) return true;
      if (line.includes(`'${folder}'`) || line.includes(`"${folder}"`) || line.includes(`/${folder}`)) return true;
    }
  }
  return false;
}
