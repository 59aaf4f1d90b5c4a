/** The message line of every screen: a question, input or reply, else the screen's text about its selection. */
import { outcomeOf } from '../model/at-end.js';
import type { RunModel } from '../model/model.js';
import { sentText } from './control/sent.js';
import { isOver } from './idea/possible.js';
import { outcomeWords } from './outcome-words.js';
import { coloured, dim, edges, type Line, line } from './text/line.js';
import { clean, cut, tail, width, wrapAll } from './text/text.js';
import type { Picture, View } from './view.js';

export interface MessageLine {
  line: Line;
  /** Column of the cursor during input. */
  cursor?: number;
}

export function messageLine({ ui, size, model }: View, told: { left: string; right: string }): MessageLine {
  const { columns } = size;
  if (ui.confirm !== undefined)
    return { line: edges(line(' ', { text: clean(ui.confirm), bold: true }), line('y yes  n no'), columns) };
  if (ui.prompt) return promptLine(ui.prompt, columns);
  if (ui.message) {
    const { text, refused } = ui.message;
    return { line: line(coloured(cut(` ${clean(text)}`, columns), refused ? 'yellow' : 'cyan')) };
  }
  const sent = sentText(ui, isOver(model));
  if (sent !== undefined) return { line: line(coloured(cut(` ${clean(sent)}`, columns), 'cyan')) };
  if (ui.news === 'ended') return { line: line(coloured(cut(` ${endedText(model)}`, columns), 'cyan')) };
  return { line: edges(line(dim(` ${told.left}`)), line(dim(told.right)), columns) };
}

/** `run ended: 3 landed, 1 not landed; report: v` */
function endedText(model: RunModel): string {
  const how = model.state === 'completed' ? '' : `, ${model.state}`;
  return `run ended${how}: ${outcomeWords(outcomeOf(model), model.target, 'not landed').join(', ')}; report: v`;
}

/** Lines of a message or a question that is longer than its line. */
const MOST_ROWS = 4;

/** A message or a question that its line would cut, as several lines; undefined where it fits. */
function messageRows({ ui, size }: View): Line[] | undefined {
  const { confirm, message, prompt } = ui;
  const cells = size.columns - 2;
  if (prompt || (confirm === undefined && !message)) return undefined;
  const keys = confirm === undefined ? '' : 'y yes  n no';
  const text = clean(confirm ?? message?.text ?? '');
  if (width(text) + (keys === '' ? 0 : width(keys) + 2) <= cells) return undefined;
  const rows = wrapAll(text, cells);
  const shown = rows.slice(0, MOST_ROWS);
  if (rows.length > MOST_ROWS) shown[MOST_ROWS - 1] = cut(`${shown.at(-1)} ${rows[MOST_ROWS]}`, cells);
  const colour = message?.refused ? 'yellow' : 'cyan';
  const lines = shown.map((row) =>
    keys === '' ? line(' ', coloured(row, colour)) : line(' ', { text: row, bold: true as const }),
  );
  const last = lines.at(-1);
  if (keys === '' || !last) return lines;
  const fits = width(shown.at(-1) ?? '') + width(keys) + 2 <= cells;
  return fits
    ? [...lines.slice(0, -1), edges(last, line(keys), size.columns)]
    : [...lines, edges([], line(keys), size.columns)];
}

/** The picture with a long message whole: it takes the lines above its own. Its line is the last but one. */
export function withWholeMessage(picture: Picture, view: View): Picture {
  const rows = picture.cursor ? undefined : messageRows(view);
  if (!rows || picture.lines.length < rows.length + 4) return picture;
  const lines = [...picture.lines];
  lines.splice(lines.length - 1 - rows.length, rows.length, ...rows);
  return { ...picture, lines };
}

/** Shows the part of the input that contains the cursor. */
function promptLine(prompt: NonNullable<View['ui']['prompt']>, columns: number): MessageLine {
  // A label of words and the text after it must not read as one word.
  const name = cut(clean(prompt.label), Math.floor(columns / 2));
  const label = prompt.kind === 'text' ? `${name}: ` : name;
  const before = clean(prompt.text.slice(0, prompt.cursor));
  const after = clean(prompt.text.slice(prompt.cursor));
  const room = Math.max(4, columns - width(label) - 2);
  // The cut stands where the text is cut.
  const all = width(before) <= room - 1;
  const shown = all ? before : `…${tail(before, room - 2)}`;
  const rest = cut(after, room - width(shown) - 1);
  const keys = prompt.kind === 'text' ? `   ${clean(prompt.note ?? 'Enter sends, Esc cancels')}` : '';
  const left = columns - width(label) - 1 - width(shown) - width(rest);
  const names = prompt.completions?.length ? `  ${prompt.completions.map(clean).join('  ')}` : '';
  // A lone `…` would read as the end of the text.
  const found = names !== '' && left >= 8 ? names : width(keys) <= left ? keys : '';
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
