/** A number with its noun, in the words of all sides. Must not import anything. */

/** `1 idea`, `2 ideas`, `1 retry`, `3 branches`. `shown`: the number as its view writes it. */
export const many = (count: number, what: string, shown = `${count}`): string =>
  `${shown} ${count === 1 ? what : pluralOf(what)}`;

/** `tried again once`, `tried again 3 times`: by a retry of a person, or by a later start. */
export const triedAgain = (count: number, shown = `${count}`): string =>
  count === 1 ? 'tried again once' : `tried again ${shown} times`;

/** Of a noun without exceptions; of several words, the last one. */
export function pluralOf(what: string): string {
  if (/[^aeiou]y$/.test(what)) return `${what.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(what) ? `${what}es` : `${what}s`;
}
