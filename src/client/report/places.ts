/** Where the work of ideas is: branches that exist, save points, and the tip of the target. Invariant: reads only. */
import { ideaBranch } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import { listSaves } from '../../git/saves/saves.js';
import type { Extra } from '../../report/extra.js';

/** `target` undefined: its tip moves, because a run is open. */
export async function placesOf(
  repo: string,
  target: string | undefined,
): Promise<Pick<Extra, 'branchOf' | 'saved' | 'tip'>> {
  const onto = target === undefined ? undefined : `refs/heads/${target}`;
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/ralph/', ...(onto ? [onto] : [])];
  const [refs, saves] = await Promise.all([
    git(repo)
      .run(args, { read: true })
      .catch(() => undefined),
    listSaves(repo).catch(() => []),
  ]);
  if (refs === undefined) return {};
  const tips = new Map<string, string>();
  for (const line of refs.split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    tips.set(name, commit);
  }
  const tip = onto && tips.get(onto);
  return {
    branchOf: (idea) => (tips.has(`refs/heads/${ideaBranch(idea)}`) ? ideaBranch(idea) : undefined),
    saved: new Set(saves.map(({ idea }) => idea)),
    ...(tip ? { tip } : {}),
  };
}
