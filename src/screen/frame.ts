/** What screens of lists have in common: their first line, and the message and keys at their end. */
import type { IdeaModel } from '../model/model.js';
import { crop, messageLine } from './bottom.js';
import { type FooterContext, footer } from './footer.js';
import { bold, dim, edges, type Line, line, lineWidth, within } from './line.js';
import { standingOf } from './standing.js';
import { width } from './text.js';
import { place, stateLine } from './top.js';
import { NUMBERED } from './ui.js';
import type { Picture, View } from './view.js';

/** Where and how the run stands, what this screen tells, its number. */
export function screenLine(view: View, told: string): Line {
  const { model, details, now, size, ui } = view;
  const head = line(bold(place(model, size.columns)), '  ', stateLine(standingOf(model, details, now)));
  const number = NUMBERED.indexOf(ui.screen) + 1;
  const count = number > 0 ? `${number} of ${NUMBERED.length}` : '';
  for (const right of [`${told}  screen ${count}`, `${told}  ${count}`, told, ''])
    if (lineWidth(head) + 2 + width(right) <= size.columns)
      return edges(head, line(dim(right.trimEnd())), size.columns);
  return within(head, size.columns);
}

export interface Bottom {
  idea?: IdeaModel | undefined;
  left?: string;
  right?: string;
  /** In the footer. */
  end?: string;
  /** In the place of the keys. */
  footer?: Line;
  without?: FooterContext['without'];
}

/** Body between first line and the last two. */
export function framed(view: View, lines: readonly Line[], bottom: Bottom): Picture {
  const { model, details, size, theme, ui } = view;
  const height = size.rows - 1;
  const message = messageLine(view, bottom.idea, { left: bottom.left ?? '', right: bottom.right ?? '' });
  const keys =
    bottom.footer ??
    footer(
      {
        screen: ui.screen,
        model,
        details,
        right: bottom.end ?? '? keys  q leave',
        ...(bottom.idea ? { idea: bottom.idea } : {}),
        ...(bottom.without ? { without: bottom.without } : {}),
      },
      size.columns,
      theme,
    );
  return {
    lines: [...crop(lines, height - 2), message.line, keys],
    ...(message.cursor === undefined ? {} : { cursor: { line: height - 2, column: message.cursor } }),
  };
}
