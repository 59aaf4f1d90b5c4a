/**
 * The part of a pull request's text that ralphctl wrote, with a hidden mark below it: of which commit it tells, and what
 * it was. Pure.
 * Invariant: what a person wrote or changed is never replaced. A part that is no longer as ralphctl wrote it stays.
 */
import { createHash } from 'node:crypto';

const MARK = /\n\n<!-- ralphctl text ([0-9a-f]{16}) (\d{1,6}) ([0-9a-f]{40,64}) -->/g;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export const withMark = (text: string, commit: string): string =>
  `${text}\n\n<!-- ralphctl text ${hashOf(text)} ${text.length} ${commit} -->`;

/** `body` with `text` in place of what told of another commit. Undefined: there is nothing to change. */
export function renewed(body: string, text: string, commit: string): string | undefined {
  // A browser sends other line ends.
  const lines = body.replaceAll('\r\n', '\n');
  const found = [...lines.matchAll(MARK)].at(-1);
  const [mark = '', hash, length, of] = found ?? [];
  if (!found || of === commit) return undefined;
  const from = found.index - Number(length);
  if (from < 0 || hashOf(lines.slice(from, found.index)) !== hash) return undefined;
  return `${lines.slice(0, from)}${withMark(text, commit)}${lines.slice(found.index + mark.length)}`;
}
