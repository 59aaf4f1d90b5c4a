/** The work that an idea has when it is split: its parts begin on the target, without it. Reads only. */
import { ownCommits } from '../../../git/own-commits.js';
import { ideaBranch } from '../../../git/refs.js';
import { git } from '../../../git/runner.js';
import { shellWord } from '../../../protocol/shell-words.js';
import { many } from '../../views/live-lines.js';

/** A sentence without its end; undefined: its branch has no commits of its own, or git does not tell. */
export async function leftBySplit(repo: string, target: string, idea: string): Promise<string | undefined> {
  const branch = ideaBranch(idea);
  const asked = ['rev-parse', '--verify', '-q', `refs/heads/${branch}^{commit}`];
  const found = await git(repo)
    .result(asked, { ok: [0, 1, 128], read: true })
    .catch(() => undefined);
  const tip = found?.code === 0 ? found.stdout.trim() : '';
  const own = tip === '' ? 0 : ((await ownCommits(repo, target, [tip]).catch(() => undefined))?.get(tip) ?? 0);
  if (own === 0) return undefined;
  const those = own === 1 ? 'it' : 'them';
  return `${many(own, 'commit')} of ${idea} ${own === 1 ? 'stays' : 'stay'} on ${branch}, and its parts begin without ${those}. See ${those}: git log ${shellWord(target)}..${branch}`;
}
