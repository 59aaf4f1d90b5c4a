/** Terminal output as plain text. Pure, linear in its input. */
import { withoutEscapes } from '../protocol/escapes.js';

const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;

/** Removes escape sequences and control characters; of an overwritten line, keeps the visible text. */
export function plainText(text: string): string {
  return withoutEscapes(text)
    .split('\n')
    .map((line) => {
      const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
      return ended.slice(ended.lastIndexOf('\r') + 1);
    })
    .join('\n')
    .replace(CONTROLS, '');
}
