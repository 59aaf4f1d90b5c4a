/** The list of *Needs you*: what waits for a person, then warnings. Pure. */
import type { WarningLine } from '../../protocol/warnings.js';
import { listsOf, type Need, needName } from '../lists.js';
import { coloured, type Line, line } from '../text/line.js';
import { clean, pad, padId } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import { clock } from '../text/time.js';
import type { Selection } from '../ui.js';
import type { View } from '../view.js';

export interface Row {
  at: Selection;
  need?: Need;
  warning?: WarningLine;
}

export function rowsOf({ model }: View): Row[] {
  const { needs, warnings } = listsOf(model);
  return [
    ...needs.map((need): Row => ({ at: { section: 'needs', id: need.id }, need })),
    ...joined(warnings).map(
      (warning): Row => ({ at: { section: 'warnings', id: warning.idea ?? `run ${warning.kind}` }, warning }),
    ),
  ];
}

/** One line per idea, because an answer to it applies to all of its warnings. */
function joined(warnings: readonly WarningLine[]): WarningLine[] {
  const out = new Map<string, WarningLine>();
  for (const one of warnings) {
    const key = one.idea ?? `run ${one.kind}`;
    const first = out.get(key);
    out.set(key, first ? { ...first, text: `${first.text}\n${one.text}` } : one);
  }
  return [...out.values()];
}

/** The title begins in one column, also where a time names its day. */
export const sinceCells = (rows: readonly Row[], { now }: View): number =>
  rows.reduce((most, row) => Math.max(most, sinceText(row, now).length + 2), 14);

function sinceText({ need, warning }: Row, now: number): string {
  const since = need?.since ?? warning?.since;
  return since === undefined ? '' : `since ${clock(since, now)}`;
}

/** `cells`: of the time; undefined: the title has a line of its own. */
export function listLine(row: Row, { model, now, size }: View, cells?: number): Line {
  const { need, warning } = row;
  const id = Math.max(12, Math.min(listsOf(model).longestId, 20));
  const sign = need ? LOOKS[need.shown] : { sign: '!', colour: 'yellow' as const };
  const name = need ? needName(need) : (warning?.idea ?? 'run');
  const title = need ? (need.idea?.title ?? need.text ?? '') : (warning?.text ?? '');
  return line(
    ' ',
    coloured(sign.sign, sign.colour),
    ` ${padId(clean(name), id)} ${pad(need?.shown ?? warning?.kind ?? '', 10)}`,
    ...(cells === undefined ? [sinceText(row, now)] : [pad(sinceText(row, now), cells)]),
    ...(cells === undefined || size.columns < 60 ? [] : [clean(title)]),
  );
}
