/** Turns lines of the screen into terminal escapes. Invariant: without colour it uses only bold, dim and inverse. */
import type { Colour, Line, Span } from '../text/line.js';

const CODES: Readonly<Record<Colour, number>> = { blue: 34, green: 32, cyan: 36, yellow: 33, red: 31, gray: 90 };

export const render = (line: Line, colour: boolean): string => line.map((span) => renderSpan(span, colour)).join('');

function renderSpan({ text, colour: name, bold, dim, inverse }: Span, colour: boolean): string {
  const codes = [
    ...(bold ? [1] : []),
    ...(dim ? [2] : []),
    ...(inverse ? [7] : []),
    ...(colour && name ? [CODES[name]] : []),
  ];
  return codes.length === 0 ? text : `\u001b[${codes.join(';')}m${text}\u001b[0m`;
}
