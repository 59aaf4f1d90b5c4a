/**
 * What a sparse checkout leaves out. git marks a new path outside the cone only where it writes files, too: without the
 * mark, the file looks deleted, and a commit of all takes it off. git removes files there that it updates, also those
 * that a person works on.
 * Invariant: what was left out stays left out, and a file that was there stays there.
 */
import type { Git } from '../runner.js';

/** Only git itself leaves files out there, so the lists of another checkout need no look. */
export async function isSparse(repo: Git): Promise<boolean> {
  const args = ['config', '--type=bool', '--get', 'core.sparseCheckout'];
  return (await repo.run(args, { ok: [0, 1], read: true })) === 'true';
}

/** Marks in the index the paths that another index, for which git wrote the files, leaves out. */
export async function leaveOutAlike(
  repo: Git,
  other: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const left = (await tagged(repo, other)).get('S') ?? new Set();
  if (left.size === 0) return;
  const own = await tagged(repo);
  const paths = [...(own.get('H') ?? [])].filter((path) => left.has(path));
  if (paths.length > 0)
    await repo.run(['update-index', '--skip-worktree', '--stdin'], { env, input: `${paths.join('\n')}\n` });
}

/** Runs `work`, which updates files by the index of `env`, and writes those again that git left out although they were there. */
export async function keepingFiles(
  repo: Git,
  env: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
): Promise<void> {
  const there = (await tagged(repo, env)).get('H') ?? new Set();
  await work();
  const paths = [...((await tagged(repo, env)).get('S') ?? [])].filter((path) => there.has(path));
  if (paths.length === 0) return;
  const input = `${paths.join('\n')}\n`;
  await repo.run(['update-index', '--no-skip-worktree', '--stdin'], { env, input });
  await repo.run(['checkout-index', '-f', '-u', '--stdin'], { env, input });
}

/** Paths by their tags. Quoted, as git reads them back: a name may be no text. */
async function tagged(repo: Git, env: Readonly<Record<string, string>> = {}): Promise<Map<string, Set<string>>> {
  const args = ['ls-files', '-t', '--full-name', ':/'];
  const { stdout } = await repo.result(args, { read: true, env, config: ['core.quotePath=true'] });
  const found = new Map<string, Set<string>>();
  for (const line of stdout.split('\n')) {
    const tag = line.slice(0, 1);
    found.set(tag, (found.get(tag) ?? new Set()).add(line.slice(2)));
  }
  return found;
}
