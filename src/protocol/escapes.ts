/**
 * Removes terminal escape sequences from foreign text. Every place that shows or reads such text uses this.
 * Invariant: never throws, and takes linear time for any content. Must not import anything.
 */

/** Whole sequences, of 7 and of 8 bits, so that their letters disappear too. The bounds keep the search linear. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,1024}(?:\x07|\x1b\\|\x9c)?|\x1b(?:[ -/]{0,4}[0-~])?|\x9b/g;

/** Other control characters stay. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPES, '');

/** Control characters, line separators, and marks that reverse the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** One line of plain text: a space replaces each run of line ends and control characters. */
export const inOneLine = (text: string): string => withoutEscapes(text).replace(UNPRINTABLE, ' ');

/** Control characters, spaces, and characters that show nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;

/** Whether a text says anything: escape sequences, spaces and invisible characters say nothing. */
export const saysAnything = (text: string): boolean => withoutEscapes(text).replace(UNSEEN, '') !== '';

/** A typed or pasted text: its line ends are plain, and it has no escape sequences and no other control characters. */
export const plainText = (text: string): string =>
  withoutEscapes(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
