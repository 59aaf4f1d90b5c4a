/**
 * Words for a POSIX shell, in commands that a person copies and in those that ralphctl runs.
 * Invariant: the shell gives back exactly the text. Must not import anything.
 */

/** Always in quotes. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** In quotes where the shell would change it, so that a plain path stays easy to read. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text));
