/** The report of a run, as lines from elsewhere. */

import { hintLine } from '../footer.js';
import { framed } from '../frame.js';
import { isOver } from '../idea/possible.js';
import { line } from '../text/line.js';
import { clean } from '../text/text.js';
import type { Picture, View } from '../view.js';

export function textView(view: View): Picture {
  const { details, ui, size } = view;
  const all = details.report;
  const room = size.rows - 3;
  const first = Math.max(0, Math.min(ui.scroll[ui.screen] ?? 0, (all?.length ?? 0) - room));
  const lines = (all ?? ['reading …']).slice(first, first + room).map((text) => line(` ${clean(text)}`));
  const more =
    all && all.length > room ? `${first + 1} to ${Math.min(all.length, first + room)} of ${all.length} lines` : '';
  return framed(view, lines, {
    right: more,
    footer: hintLine(
      [
        ...(more === '' ? [] : [{ rank: 1, text: '↑↓ PgUp PgDn move' }]),
        ...(isOver(view.model) ? [{ rank: 2, text: 'r start again' }] : []),
        { rank: 6, text: 'o as a page' },
        { rank: 4, text: '2 needs you' },
        { rank: 3, text: '3 ideas' },
        { rank: 5, text: '5 history' },
      ],
      '? keys  Esc back  q leave',
      size.columns,
    ),
  });
}
