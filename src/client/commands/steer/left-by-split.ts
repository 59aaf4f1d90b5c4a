/** The work that an idea has when it is split: its parts begin on the target, without it. Reads only. */
import { ideaBranch } from '../../../git/refs.js';
import { shellWord } from '../../../protocol/shell-words.js';
import { branchSizes } from '../../report/places.js';
import { many } from '../../views/live-lines.js';

/** A sentence without its end; undefined: its branch has no commits of its own, or git does not tell. */
export async function leftBySplit(repo: string, target: string, idea: string): Promise<string | undefined> {
  const own = (await branchSizes(repo, target))(idea) ?? 0;
  if (own === 0) return undefined;
  const branch = ideaBranch(idea);
  const [stay, those] = own === 1 ? ['stays', 'it'] : ['stay', 'them'];
  return `${many(own, 'commit')} of ${idea} ${stay} on ${branch}, and its parts begin without ${those}. See ${those}: git log ${shellWord(target)}..${branch}`;
}
