/**
 * Which saves hold nothing that the target lacks, and when each was made.
 * Invariant: reads only. A save counts as landed only where git proves it: the target has its commits, or merging it into
 * the landing of its idea changes nothing. What git cannot tell has not landed.
 */
import { mergeTrees } from '../landing/merge.js';
import { git } from '../runner.js';
import type { SavePoint } from './saves.js';

/** `landed`: the commit of each landed idea on the target. Returns refs. */
export async function landedSaves(
  repo: string,
  { target, landed }: { target: string; landed: ReadonlyMap<string, string> },
  saves: readonly SavePoint[],
): Promise<Set<string>> {
  if (saves.length === 0) return new Set();
  const merged = await git(repo).result(
    ['for-each-ref', `--merged=refs/heads/${target}`, '--format=%(refname)', 'refs/ralphctl/save/'],
    { ok: [0, 128, 129], read: true },
  );
  const within = new Set(merged.stdout.split('\n').filter(Boolean));
  const found = new Set<string>();
  for (const save of saves) {
    const landing = landed.get(save.idea);
    if (within.has(save.ref) || (landing !== undefined && (await addsNothing(repo, landing, save))))
      found.add(save.ref);
  }
  return found;
}

async function addsNothing(repo: string, landing: string, { commit, head, parents }: SavePoint): Promise<boolean> {
  try {
    const tree = await git(repo).run(['rev-parse', '--verify', `${landing}^{tree}`], { read: true });
    // The second parent of a save has what was staged and is not in the files.
    for (const one of parents > 1 && head !== commit ? [commit, `${commit}^2`] : [commit]) {
      const merged = await mergeTrees(git(repo), landing, one);
      if (merged.kind !== 'clean' || merged.tree !== tree) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Removes saves that are still at these commits; the others stay. */
export async function dropSaves(repo: string, saves: readonly Pick<SavePoint, 'ref' | 'commit'>[]): Promise<void> {
  if (saves.length === 0) return;
  const input = saves.map(({ ref, commit }) => `delete ${ref} ${commit}\n`).join('');
  await git(repo).run(['update-ref', '--stdin'], { input });
}
