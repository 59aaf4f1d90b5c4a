/**
 * How deeply YAML or JSON is nested, without parsing it. A parser that runs out of stack in the wrong moment (while V8
 * compiles an expression) ends the process instead of throwing.
 * Invariant: linear; may miss nesting that nobody writes, never refuses text because of its words. Must import nothing.
 */

/** Far below what a parser can take, far above what people write. */
const MOST = 250;

/** Whether a bracket after this character opens a collection; in prose it follows a letter. */
const OPENS = /[[{,:?\n-]/;

/** The line in which the text gets nested too deeply; undefined: it does not. */
export function tooDeepAt(text: string): number | undefined {
  const indents: number[] = [];
  let line = 1;
  let flow = 0;
  let before = '\n';
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (before === '\n') {
      const { indent, entries } = startOf(text, at);
      while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop();
      indents.push(indent);
      if (indents.length + entries > MOST) return line;
    }
    if (sign === '[' || sign === '{') {
      if (OPENS.test(before)) flow++;
      if (flow > MOST) return line;
    } else if (sign === ']' || sign === '}') flow = Math.max(0, flow - 1);
    if (sign === '\n') line++;
    if (sign === '\n' || !/\s/.test(sign)) before = sign;
    else if (before === '\n') before = '-';
  }
  return undefined;
}

/** Indent of a line, and how many list entries begin in it: `- - - text`. */
function startOf(text: string, from: number): { indent: number; entries: number } {
  let at = from;
  while (text[at] === ' ') at++;
  const indent = at - from;
  let entries = 0;
  for (; /[-?]/.test(text[at] ?? '') && text[at + 1] === ' '; entries++) {
    at++;
    while (text[at] === ' ') at++;
  }
  return { indent, entries };
}
