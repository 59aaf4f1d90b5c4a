/**
 * Who closed a pull request, and with which words: the last comment of that person at the close or shortly before it.
 * The words are data for people: one line, bounded, without effects on forges. No agent gets them.
 */
import { inOneLine } from '../../protocol/escapes.js';
import { unlinked } from '../../protocol/unlinked.js';
import type { Forge } from './forge.js';
import { isOwn, type Remark } from './said.js';

export type Redact = (text: string) => string;

/** A comment that somebody writes first, and then closes. */
const BEFORE_MS = 15 * 60_000;
/** Forges note the comment of a close a moment after it. */
const AFTER_MS = 60_000;
const MOST = 160;

export async function closingOf(
  forge: Pick<Forge, 'closing' | 'remarks'>,
  number: number,
  redact: Redact,
): Promise<{ by?: string; why?: string }> {
  const { by, at } = await forge.closing(number);
  if (by === undefined || at === undefined) return by === undefined ? {} : { by };
  const why = closingWords({ by, at }, await forge.remarks(number, ['review', 'comment']), redact);
  return { by, ...(why === undefined ? {} : { why }) };
}

export function closingWords(
  { by, at: closed }: { by: string; at: number },
  said: readonly Remark[],
  redact: Redact,
): string | undefined {
  const near = said.flatMap((one) =>
    one.author === by &&
    one.at !== undefined &&
    one.at >= closed - BEFORE_MS &&
    one.at <= closed + AFTER_MS &&
    !isOwn(one)
      ? [{ at: one.at, words: wordsOf(redact(one.body)) }]
      : [],
  );
  const last = near
    .filter(({ words }) => words !== '')
    .sort((a, b) => a.at - b.at)
    .at(-1)?.words;
  if (last === undefined) return undefined;
  const chars = [...last];
  return chars.length > MOST ? `${chars.slice(0, MOST - 1).join('')}…` : last;
}

/** Without quotation marks of its own: the words stand between such. */
const wordsOf = (text: string): string => inOneLine(unlinked(text)).replaceAll('"', "'").replace(/\s+/g, ' ').trim();
