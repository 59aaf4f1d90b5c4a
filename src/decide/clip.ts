/**
 * Bounds on text that workflow state and query answers carry: ten thousand ideas must fit one payload of 2 MB.
 * Must not import anything.
 */

/** Longest reason kept with an idea, in characters. Questions keep more: a person has to answer them. */
export const MAX_REASON = 300;
export const MAX_QUESTION = 1000;

/** Cuts a text to at most `most` characters, with an ellipsis as its last one, never through a surrogate pair. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
