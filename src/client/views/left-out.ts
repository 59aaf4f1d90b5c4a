/** The ideas that a start leaves out, in the same sentence before, at and after it. Pure. */
import { named } from '../../report/look.js';
import { LEAVES_OUT } from '../../run-files/carried.js';
import { type KeptFor, keptWords } from '../../run-files/kept.js';

/** `a start leaves out a-1, b-2, until: ralphctl retry IDEA` */
export function leftOutLine(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  return [`a start leaves out ${named(ids)}, until: ralphctl retry ${ids.length === 1 ? ids[0] : 'IDEA'}`];
}

const isRollback = ({ verb }: KeptFor['kept'][number]): boolean => verb === 'rollback';

/** Of an abandoned idea, that alone counts. */
export const isRolledBack = ({ abandoned, kept }: KeptFor): boolean => !abandoned && kept.some(isRollback);

/** `carries over: retry a-1, limit b-2 +5`. No start rolls anything back again. `start`: the words before. */
export function carriedText(all: readonly KeptFor[], start = ''): string[] {
  const words = all.flatMap((one) =>
    keptWords({ ...one, kept: one.kept.filter(({ verb }) => verb !== 'rollback' && verb !== 'closed') }),
  );
  const more = words.length > MOST_WORDS ? ` and ${words.length - MOST_WORDS} more` : '';
  return words.length > 0 ? [`${start}carries over: ${words.slice(0, MOST_WORDS).join(', ')}${more}`] : [];
}

/** `you rolled back a-1 (too early), so a start leaves it out until: ralphctl retry a-1` */
export function rolledBackLine(all: readonly KeptFor[]): string[] {
  const back = all.filter(isRolledBack);
  const names = back.map(({ idea, kept }) => {
    const { reason } = kept.find(isRollback) ?? {};
    return `${idea}${reason ? ` (${reason})` : ''}`;
  });
  const [one] = back;
  if (!one) return [];
  const [it, idea] = back.length === 1 ? ['it', one.idea] : ['them', 'IDEA'];
  return [`you rolled back ${named(names)}, so a start leaves ${it} out until: ralphctl retry ${idea}`];
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
const MOST_WORDS = 10;
