/**
 * Splits a text into words without a dictionary.
 * Must not import anything.
 */

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?/gu;
/** Scripts without blanks between words: each character counts as a word. */
const SIGNS = /[\u3040-\u30ff\u3400-\u9fff]/;
const MOST_WORDS = 4000;

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (SIGNS.test(word)) words.push(...word);
    else words.push(word);
    if (words.length >= MOST_WORDS) break;
  }
  return words;
}

/** Length of a text by meaning: one Chinese or Japanese character says as much as a short word. */
export function weightOf(text: string): number {
  let weight = 0;
  for (const sign of text.replace(/\s+/g, ' ').trim()) weight += SIGNS.test(sign) ? 3 : 1;
  return weight;
}

/** The first `most` UTF-16 units of a text, without splitting a surrogate pair. */
export function head(text: string, most: number): string {
  const cut = text.slice(0, most);
  return /[\ud800-\udbff]$/.test(cut) && cut.length < text.length ? cut.slice(0, -1) : cut;
}
