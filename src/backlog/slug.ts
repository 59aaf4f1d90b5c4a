/**
 * Derives ids for tasks that have none. Invariant: an id depends on the text alone, so edits elsewhere never change it.
 */
import { IDEA_ID } from '../protocol/idea.js';

/** Words of plain letters and digits, without accents. */
export const plainWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

/**
 * `Add a login page` -> `add-a-login-page`: whole words, at most 48 characters; undefined when no usable id results.
 */
export function slug(text: string): string | undefined {
  let id = '';
  for (const word of plainWords(text)) {
    const longer = id === '' ? word.slice(0, 48) : `${id}-${word}`;
    if (longer.length > 48) break;
    id = longer;
  }
  return IDEA_ID.test(id) ? id : undefined;
}
