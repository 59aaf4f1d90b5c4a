/**
 * Tells an echo of the prompt from an answer.
 * Invariant: linear in message and prompt; compares trimmed lines, so that re-wrapped white space does not hide an echo.
 */
import { eachLine, type LinePlace } from './markdown-lines.js';

/**
 * True when the line and the non-blank line before it stand together in the prompt, or when the whole message is a
 * piece of it.
 */
export function isEcho(message: string, line: LinePlace, before: LinePlace | undefined, prompt: string): boolean {
  if (prompt === '') return false;
  const text = (place: LinePlace): string => message.slice(place.start, place.end).trim();
  const flatMessage = message.replaceAll('\r\n', '\n').trim();
  if (prompt.replaceAll('\r\n', '\n').includes(flatMessage)) return true;
  if (!before) return false;
  const wanted = text(line);
  const wantedBefore = text(before);
  let previous = '';
  let found = false;
  eachLine(prompt, (place) => {
    const here = prompt.slice(place.start, place.end).trim();
    if (here === wanted && previous === wantedBefore) found = true;
    previous = here;
  });
  return found;
}
