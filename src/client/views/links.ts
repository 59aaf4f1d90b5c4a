/**
 * Web addresses and existing files in the output as links to click (OSC 8), where the terminal shows them.
 * Invariant: what is read stays the same. A pipe, a file and a terminal that does not know links get plain text.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createSupportsHyperlinks } from 'supports-hyperlinks';

const OSC = '\u001b]8;;';
const END = '\u001b\\';
const link = (address: string, text: string): string => `${OSC}${address}${END}${text}${OSC}${END}`;

/** A place ends before white space, quotes, brackets and escapes, and not with a full stop. */
const PLACE =
  /https?:\/\/[^\s"'`<>()…\p{Cc}]*[^\s"'`<>()….,;:\p{Cc}]|(?<=^|[\s("'`])\/[^\s"'`<>()…:,;\p{Cc}]*[^\s"'`<>()….,;:\p{Cc}]/gu;

const supported = new WeakMap<object, boolean>();

function takesLinks(stream: { isTTY?: boolean }): boolean {
  const known = supported.get(stream) ?? createSupportsHyperlinks(stream);
  supported.set(stream, known);
  return known;
}

export function linked(text: string, stream: { isTTY?: boolean }): string {
  if (!text.includes('/') || !stream.isTTY || !takesLinks(stream)) return text;
  return text.replace(PLACE, (place) => {
    if (place.startsWith('http')) return link(place, place);
    return existsSync(place) ? link(pathToFileURL(place).href, place) : place;
  });
}
