/**
 * The slots of *Run*, one line each. With too many slots: one cell each, plus the lines that matter most.
 * Invariant: columns keep their position during a run.
 */
import type { IdeaModel, RunModel } from '../../model/model.js';
import { isReported } from '../../model/tally.js';
import { listsOf } from '../lists.js';
import { coloured, dim, edges, type Line, line, listed, rule, within } from '../text/line.js';
import { dollars, moneyText, UNKNOWN, whole } from '../text/numbers.js';
import { clean, cut, pad, padId, width } from '../text/text.js';
import { bar, LOOKS, shownOf } from '../text/theme.js';
import { duration } from '../text/time.js';
import type { SlotOrder } from '../ui.js';
import type { View } from '../view.js';
import { activityWords, shortActivity } from '../words/activity-words.js';
import { restText } from '../words/idea-words.js';
import { COMMITS, type Columns, columnsFor, header, iterCells, placed } from './slot-columns.js';

/** An agent counts as quiet after this time without output. */
const QUIET = 5 * 60_000;

export interface SlotLine {
  id?: string;
  line: Line;
}

/** At most `height` lines, including the heading. */
export function slotLines(view: View, height: number): SlotLine[] {
  const { model, size } = view;
  const { slots, taken } = listsOf(model);
  const queue = queueLine(view);
  if (slots.length === 0 && !queue) return [];
  const own = (queue ? 1 : 0) + 1;
  const all = slots.length + own <= height;
  if (!all) return crowded(view, height, queue);
  const places = placed(columnsFor(view, false));
  const total = model.slots ?? slots.length;
  const title = `Slots ${taken} of ${total}`;
  const lines: SlotLine[] = [{ line: header(title, places, model, size.columns) }];
  let spare = height - own - slots.length;
  for (const idea of slots) {
    lines.push({ id: idea.id, line: slotLine(idea, view, places.columns) });
    const warned = places.columns.titles && spare > 0 ? warningLine(idea, size.columns) : undefined;
    if (!warned) continue;
    lines.push({ line: warned });
    spare -= 1;
  }
  const rest = restLine(view);
  if (rest && spare > 0) lines.push({ line: rest });
  if (queue) lines.push({ line: queue });
  return lines;
}

/** Ideas that keep their slots without a line here. */
function restLine({ model }: View): Line | undefined {
  const { approval, paused } = listsOf(model).rests;
  const parts = [
    approval > 0 ? `${approval} ${approval === 1 ? 'waits' : 'wait'} for your approval` : '',
    paused > 0 ? `${paused} paused` : '',
  ].filter((one) => one !== '');
  return parts.length === 0 ? undefined : line(dim(`    ${parts.join(', ')}`));
}

function crowded(view: View, height: number, queue: Line | undefined): SlotLine[] {
  const { model, size, details, ui } = view;
  const { slots } = listsOf(model);
  const atGate = slots.filter(({ gateNow }) => gateNow).length;
  const quiet = slots.filter(({ id }) => (details.quietMs.get(id) ?? 0) >= QUIET).length;
  const counts = `${slots.length - atGate} work, ${atGate} at the gate${quiet > 0 ? `; ${quiet} quiet` : ''}`;
  const lines: SlotLine[] = [
    { line: rule(`Slots ${whole(model.slots ?? slots.length)}: ${counts}`, `s order: ${ui.order}`, size.columns) },
  ];
  const room = Math.max(0, height - 1 - (queue ? 1 : 0));
  const wide = size.columns - 2;
  // Uses at most half of the space, because the lines below say more.
  const rows = Math.min(Math.ceil(slots.length / wide), Math.max(1, Math.ceil(room / 2)));
  for (let row = 0; row < rows && lines.length <= room; row += 1) {
    const spans = slots.slice(row * wide, (row + 1) * wide).map((idea) => sign(idea, model));
    lines.push({ line: line(' ', ...merged(spans)) });
  }
  const columns = columnsFor(view, true);
  for (const idea of ordered(slots, ui.order, view).slice(0, Math.max(0, room + 1 - lines.length)))
    lines.push({ id: idea.id, line: slotLine(idea, view, columns) });
  if (queue) lines.push({ line: queue });
  return lines;
}

/** Joins adjacent spans of one colour. */
function merged(spans: Line): Line {
  const out: Line = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && last.colour === span.colour) last.text += span.text;
    else out.push({ ...span });
  }
  return out;
}

function ordered(slots: readonly IdeaModel[], order: SlotOrder, view: View): IdeaModel[] {
  const { details, now } = view;
  const list = [...slots];
  if (order === 'slot') return list;
  const value = (idea: IdeaModel): number => {
    if (order === 'cost') return idea.spent.dollars + (nowCosts(idea, view) ?? 0);
    if (order === 'time') return now - (idea.startedAt ?? now);
    return details.quietMs.get(idea.id) ?? 0;
  };
  return list.sort((a, b) => value(b) - value(a));
}

const sign = (idea: IdeaModel, model: RunModel) => {
  const look = LOOKS[shownOf(idea, model.landing)];
  return coloured(look.sign, look.colour);
};

function slotLine(idea: IdeaModel, view: View, columns: Columns): Line {
  const { model } = view;
  const last = idea.iterations.at(-1);
  const { bar: cells, middle } = columns;
  const warning = idea.warnings[0];
  const step = idea.step ? `step ${idea.step.number}/${idea.step.of}` : '';
  const hint = columns.titles ? clean(idea.title) : warning ? `! ${warning.kind}` : step;
  const max = idea.max ?? last?.max;
  const iteration = last ? `${last.number}${max === undefined ? '' : `/${max}`}` : UNKNOWN;
  return line(
    ' ',
    sign(idea, model),
    ` ${pad(idea.slot === undefined ? '' : `${idea.slot}`, columns.number, 'right')} `,
    // An id has the cells of a hint that is not there.
    ...(middle > 0 && hint === ''
      ? [padId(idea.id, columns.id + 1 + middle)]
      : [
          padId(idea.id, columns.id),
          ...(middle > 0 ? [' ', coloured(pad(hint, middle), warning && !columns.titles ? 'yellow' : undefined)] : []),
        ]),
    pad(iteration, iterCells(columns), 'right'),
    ...(cells > 0 ? ['  ', progress(idea, cells)] : []),
    ...(columns.tests ? [pad(testsText(idea), 7, 'right')] : []),
    ...(columns.commits ? [pad(`${idea.commits}`, COMMITS, 'right')] : []),
    ...(columns.cost ? [' '.repeat(columns.costGap), pad(costCell(idea, view), 6, 'right')] : []),
    pad(duration(view.now - since(idea)), 6, 'right'),
    '  ',
    cut(nowText(idea, view, columns), columns.now),
  );
}

const since = (idea: IdeaModel): number =>
  idea.activity?.at ?? idea.gateNow?.at ?? idea.iterations.at(-1)?.startedAt ?? idea.startedAt ?? idea.since ?? 0;

/** Bar and percentage, or a note that the agent said COMPLETE. */
function progress(idea: IdeaModel, cells: number): Line {
  const last = idea.iterations.at(-1);
  if (last?.endedAt !== undefined && last.signal?.kind === 'complete' && last.turnedDown === undefined)
    return line(coloured(pad('✓ COMPLETE', cells + 4), 'green'));
  const { percent } = idea;
  const text = percent === undefined || percent >= 100 ? '' : `${percent}%`;
  return line(coloured(bar((percent ?? 0) / 100, cells), 'blue'), ` ${pad(text, 3, 'right')}`);
}

/** `4/6`; in a narrow column whether all pass, or the number of failures. */
function testsText({ gate }: IdeaModel): string {
  const tests = gate?.tests;
  if (!tests) return UNKNOWN;
  const text = `${tests.passed}/${tests.total}`;
  if (text.length <= 5) return text;
  return tests.failed === 0 ? `✓ ${tests.passed}` : `✗ ${tests.failed}`;
}

export const costText = ({ spent }: IdeaModel): string => (isReported(spent, 'Dollars') ? moneyText(spent) : UNKNOWN);

/** What the agent run that works now has cost so far. Its end has it in the sum. */
function nowCosts({ id, iterations }: IdeaModel, { details }: View): number | undefined {
  const last = iterations.at(-1);
  return last && last.endedAt === undefined ? details.dollarsOf.get(id) : undefined;
}

/** The heading marks the column where a cost is not whole. */
function costCell(idea: IdeaModel, view: View): string {
  const { spent } = idea;
  const now = nowCosts(idea, view);
  return now !== undefined || isReported(spent, 'Dollars') ? dollars(spent.dollars + (now ?? 0)) : UNKNOWN;
}

function nowText(idea: IdeaModel, { details, size }: View, { titles, now }: Columns): string {
  const rest = restText(idea);
  if (rest !== undefined) return rest;
  if (idea.backsOff) return `waits: ${clean(idea.backsOff)}`;
  if (idea.activity) {
    const whole = activityWords(idea.activity, clean);
    return width(whole) <= now ? whole : shortActivity(idea.activity, clean);
  }
  if (idea.gateNow) return `${titles ? 'gate: ' : ''}${clean(idea.gateNow.command)}`;
  const quiet = details.quietMs.get(idea.id) ?? 0;
  const act = clean(details.nowOf.get(idea.id) ?? '');
  if (quiet >= QUIET) return `quiet ${duration(quiet)}${act === '' ? '' : `: ${act}`}`;
  if (idea.waits) return clean(idea.waits.text);
  const step = titles && idea.step ? `step ${idea.step.number}/${idea.step.of} ` : '';
  return size.columns >= 60 ? `${step}${act}`.trimEnd() : act;
}

function warningLine(idea: IdeaModel, columns: number): Line | undefined {
  const warning = idea.warnings[0];
  if (!warning) return undefined;
  const text = line('     ', coloured('!', 'yellow'), ` ${warning.kind}: ${clean(warning.text)}`);
  return edges(text, line(dim('c continue  x stop  + more iterations ')), columns);
}

/** ` ▴ queue session-001 lands, gate on the merged tree 40s      then list-001` */
function queueLine({ model, now, size }: View): Line | undefined {
  const { queue, landing } = model;
  const rest = queue.filter((id) => id !== landing);
  const idea = landing === undefined ? undefined : model.ideas.get(landing);
  if (!idea && rest.length === 0) return undefined;
  const gate = idea?.gateNow;
  const activity = idea?.activity;
  const what = activity
    ? `${idea.id} lands, ${activityWords({ activity: activity.activity }, clean)} ${duration(now - activity.at)}`
    : gate
      ? `${idea.id} lands, gate on the merged tree ${duration(now - gate.at)}`
      : idea
        ? `${idea.id} lands`
        : '';
  const many = rest.length > 3 ? `${rest.length} more: ` : '';
  const then = rest.length === 0 ? '' : `${what === '' ? '' : '      then '}${many}`;
  const start = line(' ', coloured(idea ? '▴' : '▵', 'blue'), ` queue ${what}${then}`);
  const used = start.reduce((sum, { text }) => sum + width(text), 0);
  return within([...start, ...listed(rest, ', ', size.columns - used - 1)], size.columns);
}
