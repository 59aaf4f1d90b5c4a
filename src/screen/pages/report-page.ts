/** The report of a run, as lines from elsewhere. */

import { hintLine } from '../footer.js';
import { framed } from '../frame.js';
import { isOver } from '../idea/possible.js';
import { isPast } from '../past.js';
import { standingLines } from '../run/notices.js';
import { line } from '../text/line.js';
import { clean } from '../text/text.js';
import type { Ui } from '../ui.js';
import type { Picture, View } from '../view.js';

/** The run that History chose for its report; undefined: the run of the screen. */
export const reportRun = ({ back, selected }: Ui): string | undefined =>
  back[0] === 'history' ? selected.history?.id : undefined;

export function textView(view: View): Picture {
  const { details, ui, size } = view;
  const run = reportRun(ui) ?? view.model.runId;
  const all = details.report?.runId === run ? details.report.lines : undefined;
  // The screen opens on the report of a run that is over: nothing else would tell it.
  const notices = run === view.model.runId && size.rows >= 18 ? standingLines(view) : [];
  const room = size.rows - 3 - notices.length;
  const most = Math.max(0, (all?.length ?? 0) - room);
  const first = Math.max(0, Math.min(ui.scroll[ui.screen] ?? 0, most));
  const texts = (all ?? [`loading the report of run ${run} …`]).slice(first, first + room);
  const lines = [...notices, ...texts.map((text) => line(` ${clean(text)}`))];
  const more =
    all && all.length > room ? `${first + 1} to ${Math.min(all.length, first + room)} of ${all.length} lines` : '';
  const past = isPast(ui);
  const picture = framed(view, lines, {
    right: more,
    footer: hintLine(
      [
        ...(more === '' ? [] : [{ rank: 1, text: '↑↓ PgUp PgDn move' }]),
        ...(isOver(view.model) ? [{ rank: 2, text: 'P start again' }] : []),
        { rank: 6, text: 'o as a page' },
        { rank: 4, text: '2 needs you' },
        ...(past
          ? [
              { rank: 3, text: '3 its ideas' },
              { rank: 3, text: '4 its log' },
            ]
          : [{ rank: 3, text: '3 ideas' }]),
        { rank: 5, text: '5 history' },
      ],
      '? keys  Esc back  q leave',
      size.columns,
    ),
  });
  return { ...picture, most };
}
