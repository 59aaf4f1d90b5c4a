/** Shared parts of list screens: the first line, and the message and keys at the bottom. */
import type { IdeaModel } from '../model/model.js';
import { crop, messageLine } from './bottom.js';
import { type FooterContext, footer } from './footer.js';
import { standingOf } from './run/standing.js';
import { place, stateLine } from './run/top.js';
import { bold, dim, edges, type Line, line, lineWidth, within } from './text/line.js';
import { width } from './text/text.js';
import { NUMBERED } from './ui.js';
import type { Picture, View } from './view.js';

/** State of the run, subject of this screen, and its number. `shorter`: what a narrow screen says instead. */
export function screenLine(view: View, told: string, shorter: readonly string[] = []): Line {
  const { model, details, now, size, ui } = view;
  const head = line(bold(place(model, size.columns)), '  ', stateLine(standingOf(model, details, now)));
  const number = NUMBERED.indexOf(ui.screen) + 1;
  const count = number > 0 ? `${number} of ${NUMBERED.length}` : '';
  for (const right of [`${told}  screen ${count}`, `${told}  ${count}`, told, ...shorter, ''])
    if (lineWidth(head) + 2 + width(right) <= size.columns)
      return edges(head, line(dim(right.trimEnd())), size.columns);
  return within(head, size.columns);
}

export interface Bottom {
  idea?: IdeaModel | undefined;
  left?: string;
  right?: string;
  /** Text at the footer's right end. */
  end?: string;
  /** Replaces the keys. */
  footer?: Line;
  without?: FooterContext['without'];
  chooses?: boolean;
}

/** Places the body between the first line and the last two. */
export function framed(view: View, lines: readonly Line[], bottom: Bottom): Picture {
  const { model, details, size, theme, ui } = view;
  const past = ui.ofRun !== undefined && ui.ofRun === model.runId;
  const height = size.rows - 1;
  const message = messageLine(view, { left: bottom.left ?? '', right: bottom.right ?? '' });
  const keys =
    bottom.footer ??
    footer(
      {
        screen: ui.screen,
        model,
        details,
        right: bottom.end ?? (past ? '? keys  Esc back' : '? keys  q leave'),
        past,
        ...(bottom.idea ? { idea: bottom.idea } : {}),
        ...(bottom.without ? { without: bottom.without } : {}),
        ...(bottom.chooses ? { chooses: true } : {}),
      },
      size.columns,
      theme,
    );
  return {
    lines: [...crop(lines, height - 2), message.line, keys],
    ...(message.cursor === undefined ? {} : { cursor: { line: height - 2, column: message.cursor } }),
  };
}
