/** What a cleaning removed, as words. Pure. */
import type { Cleaned, CleanedItem, CleanedWhat } from '../../protocol/retention.js';

/** `950 B`, `41 kB`, `1.2 GB` */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  for (const [size, unit] of [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ] as const) {
    if (bytes < size * 0.9995) continue;
    const value = bytes / size;
    return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${unit}`;
  }
  return `${Math.round(bytes)} B`;
}

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

const WORDS: Readonly<Record<CleanedWhat, (count: number) => string>> = {
  transcripts: (count) => `transcripts of ${many(count, 'run')}`,
  gateLogs: (count) => `gate logs of ${many(count, 'run')}`,
  events: (count) => `events of ${many(count, 'run')}`,
  gates: (count) => `${count === 1 ? 'old remembered gates' : 'old remembered gates of both kinds'}`,
  restored: (count) => many(count, 'copy of a restored change', 'copies of restored changes'),
  worktree: (count) => many(count, 'worktree'),
  kept: (count) => many(count, 'repository that an agent had made', 'repositories that agents had made'),
  save: (count) => many(count, 'save'),
  project: (count) => `what ${many(count, 'project')} without a repository left`,
  leftover: () => 'what an earlier cleaning had not deleted',
};

/** By kind, in a fixed order. */
export function groupsOf(items: readonly CleanedItem[]): { what: CleanedWhat; words: string; items: CleanedItem[] }[] {
  return (Object.keys(WORDS) as CleanedWhat[]).flatMap((what) => {
    const own = items.filter((item) => item.what === what);
    return own.length === 0 ? [] : [{ what, words: WORDS[what](own.length), items: own }];
  });
}

/** `transcripts of 12 runs, 1 worktree` */
export const whatText = (items: readonly CleanedItem[]): string =>
  groupsOf(items)
    .map(({ words }) => words)
    .join(', ');

/** `1.2 GB freed: transcripts of 12 runs, 1 worktree` */
export const cleanedText = ({ bytes, what, more }: { bytes: number; what: string; more?: true }): string =>
  `${bytesText(bytes)} freed: ${what}${more ? '; the next cleaning goes on' : ''}`;

export const cleanedLine = ({ items, bytes, more }: Cleaned): string =>
  cleanedText({ bytes, what: whatText(items), ...(more ? { more } : {}) });
