/** The message line of every screen: a question, input or reply, else the screen's text about its selection. */
import type { IdeaModel } from '../model/model.js';
import { coloured, dim, edges, type Line, line } from './line.js';
import { clean, cut, head, width } from './text.js';
import type { View } from './view.js';

export interface MessageLine {
  line: Line;
  /** Column of the cursor during input. */
  cursor?: number;
}

export function messageLine(
  { ui, size }: View,
  _idea: IdeaModel | undefined,
  told: { left: string; right: string },
): MessageLine {
  const { columns } = size;
  if (ui.confirm !== undefined)
    return { line: edges(line(' ', { text: clean(ui.confirm), bold: true }), line('y yes  n no'), columns) };
  if (ui.prompt) return promptLine(ui.prompt, columns);
  if (ui.message) {
    const { text, refused } = ui.message;
    return { line: line(coloured(cut(` ${clean(text)}`, columns), refused ? 'yellow' : 'cyan')) };
  }
  return { line: edges(line(dim(` ${told.left}`)), line(dim(told.right)), columns) };
}

/** Shows the part of the input that contains the cursor. */
function promptLine(prompt: NonNullable<View['ui']['prompt']>, columns: number): MessageLine {
  const label = cut(clean(prompt.label), Math.floor(columns / 2));
  const before = clean(prompt.text.slice(0, prompt.cursor));
  const after = clean(prompt.text.slice(prompt.cursor));
  const room = Math.max(4, columns - width(label) - 2);
  let from = 0;
  while (width(before.slice(from)) > room - 1) from += 1;
  const shown = before.slice(from);
  const rest = head(after, room - width(shown) - 1);
  const found = prompt.completions?.length ? `  ${prompt.completions.map(clean).join('  ')}` : '';
  const left = columns - width(label) - 1 - width(shown) - width(rest);
  return {
    line: line(` ${label}`, shown, rest, dim(cut(found, Math.max(0, left)))),
    cursor: 1 + width(label) + width(shown),
  };
}

/** Cuts or pads to exactly `height` lines. */
export function crop(lines: readonly Line[], height: number): Line[] {
  const out = lines.slice(0, Math.max(0, height));
  while (out.length < height) out.push([]);
  return out;
}
