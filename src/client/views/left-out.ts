/** The ideas that a start leaves out, in the same sentence before, at and after it. Pure. */
import { named } from '../../report/look.js';
import { type KeptFor, keptWords } from '../../run-files/kept.js';

/** `a start leaves out a-1, b-2, until: ralphctl retry IDEA` */
export function leftOutLine(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  return [`a start leaves out ${named(ids)}, until: ralphctl retry ${ids.length === 1 ? ids[0] : 'IDEA'}`];
}

/**
 * What people gave ideas that the backlog does not have now: no start carries it out before it has them again. What
 * leaves an idea out needs no line.
 */
export function waitingLine(
  kept: readonly KeptFor[],
  { name, ids }: { name: string; ids: ReadonlySet<string> },
): string[] {
  const words = kept.flatMap((one) => {
    const { idea, kept: all } = one;
    return ids.has(idea) ? [] : keptWords({ ...one, kept: all.filter(({ verb }) => !LEAVES_OUT.has(verb)) });
  });
  if (words.length === 0) return [];
  const more = words.length > MOST_WAITING ? ` and ${words.length - MOST_WAITING} more` : '';
  const [wait, lines] = words.length === 1 ? ['waits', 'its line'] : ['wait', 'their lines'];
  return [`${wait} for ${lines}, which ${name} does not have: ${words.slice(0, MOST_WAITING).join(', ')}${more}`];
}

const MOST_WAITING = 10;
const LEAVES_OUT: ReadonlySet<string> = new Set(['skip', 'rollback']);
