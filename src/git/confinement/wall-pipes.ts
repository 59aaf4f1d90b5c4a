/**
 * Named pipes in a shared git directory. Git never makes one, and waits for ever where it meets one in place of a file.
 * Invariant: no pipe is read. Content that a pipe replaced comes back where it is known.
 */
import { constants, readdirSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf, orNone, patiently, textAt } from '../regular.js';
import { stamp, there } from './wall-files.js';

/** Files that git reads with nearly every command, and whose content the wall remembers. */
const REMEMBERED = ['HEAD', 'packed-refs'];
const OF_WORKTREE = ['HEAD', 'commondir', 'gitdir'];

/** The last content of a file, as long as its stamp is the same. */
export type Remembered = Map<string, { stamp: string; text: string }>;

/** Remembers what a pipe could replace. Reads a file only after it has changed. */
export async function remember(commonDir: string, known: Remembered): Promise<void> {
  for (const name of REMEMBERED) {
    const path = join(commonDir, name);
    const now = stamp(path);
    if (known.get(name)?.stamp === now) continue;
    const text = await textAt(path);
    if (text !== undefined) known.set(name, { stamp: now, text });
    else if (now === '-') known.delete(name);
  }
}

/** Whether git would wait for ever at a file that most of its commands read. A few microseconds a file. */
export function hasPipe(commonDir: string): boolean {
  const own = namesIn(join(commonDir, 'worktrees')).flatMap((name) =>
    OF_WORKTREE.map((file) => `worktrees/${name}/${file}`),
  );
  return [...REMEMBERED, ...own].some((name) => isPipe(join(commonDir, name)));
}

const isPipe = (path: string): boolean => there(path)?.isFIFO() ?? false;

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    return orNone(error) ?? [];
  }
}

/** Every pipe, relative to the shared git directory. */
export async function findPipes(commonDir: string, below = ''): Promise<string[]> {
  const entries = await entriesOf(join(commonDir, below));
  const found: string[] = [];
  for (const entry of entries) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFIFO()) found.push(name);
    else if (entry.isDirectory()) found.push(...(await findPipes(commonDir, name)));
  }
  return found;
}

/** Takes a pipe away, and writes the content back that belongs there. */
export async function removePipe(commonDir: string, name: string, known: Remembered): Promise<void> {
  const path = join(commonDir, name);
  await wake(path);
  const text = known.get(name)?.text ?? (await contentOf(commonDir, name));
  if (text === undefined) {
    await rm(path, { force: true });
    return;
  }
  // A rename, so that git never reads half of it.
  const fresh = `${path}.ralphctl`;
  await rm(fresh, { recursive: true, force: true });
  // Never through a link that an agent put there.
  await writeFile(fresh, text, { flag: 'wx' });
  await rename(fresh, path);
}

/** A git that waits at the pipe would wait for ever once it has no name: it reads an empty file instead, and fails. */
async function wake(path: string): Promise<void> {
  // Without a git there, it cannot be opened.
  const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const pipe = await patiently(() => open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW)).catch(orNone);
  await pipe?.close();
}

/** What a file of a worktree's registration has to contain, as far as that follows from the others. */
async function contentOf(commonDir: string, name: string): Promise<string | undefined> {
  const [, registration, file] = /^(worktrees\/[^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (file === 'commondir') return '../..\n';
  if (file !== 'HEAD') return undefined;
  // Detached at its last commit: what settles the agent's run goes back to the branch of the idea from there.
  const log = (await textAt(join(commonDir, `${registration}/logs/HEAD`))) ?? '';
  const commit = log.trimEnd().split('\n').at(-1)?.split(' ')[1];
  return commit && /^[0-9a-f]{40,64}$/.test(commit) ? `${commit}\n` : undefined;
}
