/**
 * The size of branches: how many of their commits the target lacks. What iterations told is no size: earlier runs and
 * people commit, too.
 * Invariant: reads only, and takes one process however many branches there are.
 */
import { git } from './runner.js';

/** By tip. Undefined where git cannot tell, for example without the target. */
export async function ownCommits(
  repo: string,
  target: string,
  tips: readonly string[],
): Promise<ReadonlyMap<string, number> | undefined> {
  if (tips.length === 0) return new Map();
  const input = [...tips, `^refs/heads/${target}`].map((one) => `${one}\n`).join('');
  const { code, stdout } = await git(repo).result(['rev-list', '--parents', '--stdin'], {
    ok: [0, 128],
    input,
    read: true,
  });
  if (code !== 0) return undefined;
  const parents = new Map<string, string[]>();
  for (const line of stdout.split('\n')) {
    const [commit = '', ...before] = line.split(' ');
    if (commit !== '') parents.set(commit, before);
  }
  return new Map(tips.map((tip) => [tip, reached(parents, tip)]));
}

function reached(parents: ReadonlyMap<string, readonly string[]>, tip: string): number {
  const seen = new Set<string>();
  const ahead = [tip];
  for (let commit = ahead.pop(); commit !== undefined; commit = ahead.pop()) {
    const before = parents.get(commit);
    if (!before || seen.has(commit)) continue;
    seen.add(commit);
    ahead.push(...before);
  }
  return seen.size;
}
