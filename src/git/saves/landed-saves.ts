/**
 * Which saves hold nothing that the target lacks, and how saves go.
 * Invariant: a save counts as landed only where git proves it: the target has its commits, or merging it into
 * the landing of its idea changes nothing. What git cannot tell has not landed.
 */
import { mergeTrees } from '../landing/merge.js';
import { git } from '../runner.js';
import type { SavePoint } from './saves.js';

/** `landed`: the commit of each landed idea on the target. Returns what judges one save; it takes some processes each. */
export async function landedJudge(
  repo: string,
  { target, landed }: { target: string; landed: ReadonlyMap<string, string> },
): Promise<(save: SavePoint) => Promise<boolean>> {
  const merged = await git(repo).result(
    ['for-each-ref', `--merged=refs/heads/${target}`, '--format=%(refname)', 'refs/ralphctl/save/'],
    { ok: [0, 128, 129], read: true },
  );
  const within = new Set(merged.stdout.split('\n').filter(Boolean));
  return async (save) => {
    const landing = landed.get(save.idea);
    return within.has(save.ref) || (landing !== undefined && (await addsNothing(repo, landing, save)));
  };
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

/** Removes saves, all of them or none: none where one is at another commit by now. */
export async function dropSaves(repo: string, saves: readonly Pick<SavePoint, 'ref' | 'commit'>[]): Promise<void> {
  if (saves.length === 0) return;
  const input = saves.map(({ ref, commit }) => `delete ${ref} ${commit}\n`).join('');
  await git(repo).run(['update-ref', '--stdin'], { input });
}
