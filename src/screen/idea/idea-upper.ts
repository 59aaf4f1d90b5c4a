/** The part above the tabs of an idea: the box of its iteration, or the card of its state (G1, G4). */
import type { IdeaModel } from '../../model/model.js';
import { agentMs } from '../../model/tally.js';
import { shownIn } from '../cut-off.js';
import { forNextText } from '../for-next.js';
import { box } from '../text/boxes.js';
import { coloured, type Line, line } from '../text/line.js';
import { clean, upTo, wrapAll } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import { clock, duration } from '../text/time.js';
import type { View } from '../view.js';
import { card } from './cards.js';
import { iterationBox } from './idea-box.js';

export const isAtWork = ({ status }: IdeaModel): boolean => status === 'running';

/** A box and a tab need at least this many lines. */
const LEAST_ROWS = 16;

/** Box or card; on a small terminal one line instead. */
export const upper = (view: View, idea: IdeaModel, columns: number): Line[] =>
  view.size.rows < LEAST_ROWS ? [shortLine(view, idea)] : boxOrCard(view, idea, columns);

const boxOrCard = (view: View, idea: IdeaModel, columns: number): Line[] =>
  isAtWork(idea) && idea.warnings.length === 0 ? iterationBox(view, idea, columns) : stateCard(view, idea, columns);

/** `▸ works  5/8  60 %  tests 4/6  3m` */
function shortLine({ model, now }: View, idea: IdeaModel): Line {
  const shown = shownIn(model, idea);
  const look = LOOKS[shown];
  const last = idea.iterations.at(-1);
  const max = idea.max ?? last?.max;
  const tests = idea.gate?.tests;
  const parts = isAtWork(idea)
    ? [
        last ? `${last.number}${max === undefined ? '' : `/${max}`}` : '',
        idea.percent === undefined ? '' : `${idea.percent} %`,
        tests ? `tests ${tests.passed}/${tests.total}` : '',
        last ? duration(agentMs(last, now)) : '',
      ]
    : [forNextText(idea) ?? clean(idea.question ?? idea.reason ?? '')];
  return line(
    coloured(` ${look.sign} ${shown}`, look.colour),
    parts
      .filter((one) => one !== '')
      .map((one) => `  ${one}`)
      .join(''),
  );
}

function stateCard(view: View, idea: IdeaModel, columns: number): Line[] {
  if (!isAtWork(idea)) return card(view, idea, columns);
  const warning = idea.warnings[0];
  const lines = iterationBox(view, idea, columns);
  if (!warning) return lines;
  const note = box(
    [
      {
        title: `! ${warning.kind}`,
        right: warning.since === undefined ? '' : `since ${clock(warning.since, view.now)}`,
        lines: [
          ...upTo(3, wrapAll(warning.text, columns - 4), columns - 4).map((one) => line(` ${one}`)),
          line(' ', coloured('c continue   x stop   + more iterations   i hint', 'gray')),
        ],
      },
    ],
    columns,
  );
  return [...lines, ...note];
}
