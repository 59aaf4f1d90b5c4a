/** *Run*: whether the run makes progress, what a person has to do, and what landed (G1, G4, G5). */
import type { RunModel } from '../../model/model.js';
import type { StampedEvent } from '../../protocol/events.js';
import { staysLanded } from '../../protocol/taken-off.js';
import { crop, messageLine } from '../bottom.js';
import { footer } from '../footer.js';
import { listsOf, type Need, needName, waitingFor } from '../lists.js';
import { needText, nobody } from '../pages/need-lines.js';
import { coloured, dim, edges, inverse, type Line, line, rule, within } from '../text/line.js';
import { many, whole } from '../text/numbers.js';
import { clean, cut, pad, padId, width } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import { age, clock, lasted } from '../text/time.js';
import type { Section, Selection } from '../ui.js';
import { type Picture, placeOrNone, type View } from '../view.js';
import { restText } from '../words/idea-words.js';
import { eventKey, type Happened, happened, isSmall, perMinute } from './happened.js';
import { noticeLines } from './notices.js';
import { restingLines } from './resting.js';
import { EDGE, isTwoColumns, LEAST_NEXT, nextRows, type Row } from './run-next.js';
import { slotLines } from './run-slots.js';
import { top } from './top.js';

/** Number of lines in *Needs you*, where others need the rest. */
const MOST_NEEDS = 4;
const LEAST_LATELY = 3;

export function runView(view: View): Picture {
  const { model, size, details, now, ui } = view;
  const height = size.rows - 1;
  const rows: Row[] = top(model, details, now, size.columns).map((one) => ({ line: one }));
  const body = height - rows.length - 2;
  rows.push(...fitting(view, body));
  const places = rows.flatMap(({ at }) => (at ? [at] : []));
  const selected = places[placeOrNone(places, ui.selected.run, (one) => ideaOf(one, model))];
  const lines = rows.map(({ line: one, at }) => (at && at === selected ? marked(one, size.columns) : one));
  const idea = selected?.id === undefined ? undefined : model.ideas.get(ideaOf(selected, model));
  const message = messageLine(view, runMessage(view, idea?.id));
  const right = '? keys  q leave';
  const end = footer(
    {
      ...{ screen: 'run', model, details, right, without: hidden(rows), chooses: places.length > 0 && !selected },
      ...(idea ? { idea } : {}),
    },
    size.columns,
    view.theme,
  );
  return {
    lines: [...crop(lines, height - 2), message.line, end],
    ...(message.cursor === undefined ? {} : { cursor: { line: height - 2, column: message.cursor } }),
    ...(selected ? { selected } : {}),
  };
}

/** Selectable entries on *Run*, in display order. */
export function runPlaces(view: View): Selection[] {
  const height = view.size.rows - 1;
  return fitting(view, height - 5).flatMap(({ at }) => (at ? [at] : []));
}

const hidden = (rows: readonly Row[]): ReadonlySet<'order'> =>
  rows.some(({ line: one }) => one.some(({ text }) => text.includes('s order:'))) ? new Set() : new Set(['order']);

/** The idea of a selection. In *Lately* the selection holds the key of an event. */
export const ideaOf = ({ section, id }: Selection, model: RunModel): string => {
  if (section !== 'lately') return id;
  const event = model.log.findLast((one) => eventKey(one) === id);
  return event && 'idea' in event ? (event.idea ?? '') : '';
};

const marked = (spans: Line, columns: number): Line => {
  const [first, ...rest] = spans;
  return inverse(first ? [{ ...first, text: `>${first.text.slice(1)}` }, ...rest] : spans, columns);
};

function fitting(view: View, body: number, most = MOST_NEEDS, mostNext = LEAST_NEXT): Row[] {
  const notices = noticeLines(view).map((one): Row => ({ line: one }));
  const needs = [...notices, ...needRows(view, most)];
  const third = Math.max(3, Math.floor((view.size.rows - 1) / 3));
  const slots = placed('slots', slotLines(view, third));
  const resting = placed('resting', restingLines(view));
  const next = nextRows(view, mostNext);
  const used = (): number => needs.length + slots.length + resting.length + next.length;
  if (body - used() < LEAST_LATELY) next.length = 0;
  if (body - used() < LEAST_LATELY) resting.length = Math.min(resting.length, 2);
  if (body - used() < LEAST_LATELY)
    slots.length = Math.max(0, Math.min(slots.length, body - needs.length - resting.length - LEAST_LATELY));
  if (body - used() < LEAST_LATELY)
    needs.length = Math.max(notices.length + 2, Math.min(needs.length, body - slots.length - resting.length));
  const rows = [...needs, ...slots, ...resting, ...next];
  const lately = latelyRows(view, body - rows.length, next.length > 0 && isTwoColumns(view));
  const free = lately.filter((row) => row.line.length === 0).length;
  // Rows that nothing else needs show more of what waits for a person.
  if (free > 0 && most === MOST_NEEDS && listsOf(view.model).needs.length > most)
    return fitting(view, body, most + free);
  // Then, of what comes next.
  const more = free - Math.max(0, LEAST_LATELY - (lately.length - free));
  if (more > 0 && mostNext === LEAST_NEXT && next.length > 0) return fitting(view, body, most, mostNext + more);
  return [...rows, ...lately];
}

function needRows(view: View, most: number): Row[] {
  const { model, size } = view;
  const { needs } = listsOf(model);
  const wide = size.columns >= 120;
  const asks = model.state !== 'stopping' && needs.some(({ shown }) => shown === 'asks');
  const right = needs.length === 0 ? '' : `${asks ? 'a answer  ' : ''}n next${wide ? '  2 all of them' : ''}`;
  const head = { line: rule(model.reading ? 'Needs you' : `Needs you ${whole(needs.length)}`, right, size.columns) };
  if (needs.length === 0) return [head, { line: line(dim(nobody(model))) }];
  const shown = needs.length > most ? needs.slice(0, most - 1) : needs;
  const rows: Row[] = shown.map((need) => ({
    line: needLine(need, view),
    at: { section: 'needs', id: need.id },
  }));
  const more = needs.length - shown.length;
  return [head, ...rows, ...(more > 0 ? [{ line: line(dim(` … and ${whole(more)} more: 2`)) }] : [])];
}

function needLine(need: Need, { model, size, now }: View): Line {
  const look = LOOKS[need.shown];
  const columns = size.columns;
  const id = Math.max(12, Math.min(listsOf(model).longestId, 12 + Math.floor((Math.min(columns, 160) - 72) / 4)));
  const name = needName(need);
  const start = line(' ', coloured(look.sign, look.colour), ` ${padId(name, id)} ${pad(need.shown, 10)}`);
  const waits = pad(need.since === undefined ? '' : age(now - need.since), 3, 'right');
  const used = id + 14;
  if (columns < 100) return line(...start, pad(needText(need), columns - used - 5), '  ', waits);
  const room = columns - used - 7;
  const title = Math.floor(room * 0.46);
  return line(
    ...start,
    `${waits}  `,
    pad(clean(need.idea?.title ?? ''), title),
    '  ',
    cut(needText(need), room - title),
  );
}

const placed = (section: Section, lines: readonly { id?: string; line: Line }[]): Row[] =>
  lines.map(({ id, line: one }) => (id === undefined ? { line: one } : { line: one, at: { section, id } }));

function latelyRows(view: View, height: number, joins: boolean): Row[] {
  const { model, size, now, ui } = view;
  if (height < 2) return [];
  const busy = perMinute(model, now);
  const right = `${busy >= 20 ? `${busy} a minute · ` : ''}4 log`;
  const rows: Row[] = [{ line: lateHead(view, right, joins) }];
  for (let index = model.log.length - 1; index >= 0 && rows.length < height; index -= 1) {
    const event = model.log[index];
    if (!event || isSmall(event) || (ui.hideLanded && isLanded(event))) continue;
    rows.push({ line: latelyLine(happened(event, model, now), view), at: { section: 'lately', id: eventKey(event) } });
  }
  while (rows.length < height) rows.push({ line: line() });
  return rows.map((row) => ({ ...row, line: within(row.line, size.columns) }));
}

/** `joins`: the border between the two columns above ends in this line. */
function lateHead({ size }: View, right: string, joins: boolean): Line {
  const head = rule('Lately', right, size.columns);
  if (!joins) return head;
  let at = 0;
  return head.map((span) => {
    const start = at;
    at += width(span.text);
    if (start > EDGE || at <= EDGE || span.text[EDGE - start] !== '─') return span;
    return { ...span, text: `${span.text.slice(0, EDGE - start)}┴${span.text.slice(EDGE + 1 - start)}` };
  });
}

const isLanded = (event: StampedEvent): boolean =>
  event.kind === 'idea' && event.status === 'landed' && !staysLanded(event);

export function latelyLine(one: Happened, { model, size, now }: Pick<View, 'model' | 'size' | 'now'>): Line {
  const wide = size.columns >= 120;
  const id = Math.max(12, Math.min(listsOf(model).longestId, wide ? 24 : 14));
  const start = line(` ${clock(one.at, now)} `, coloured(one.sign, one.colour), ` ${padId(clean(one.who), id)} `);
  const { took } = one;
  const title = one.title && wide ? `   ${one.title}` : '';
  if (!took || size.columns < 70) return line(...start, `${one.text}${title}`);
  const gap = wide ? '   ' : ' ';
  const right = `${pad(many(took.iterations, 'iteration'), 13)}${gap}${pad(lasted(took.ms), 5)}${gap}${pad(took.cost, 6, 'right')}`;
  return edges(line(...start, `${one.text}${title}`), line(`${right} `), size.columns);
}

/** Title of the selected idea, and the ideas that wait for it. */
function runMessage({ model, size, now }: View, id: string | undefined): { left: string; right: string } {
  const idea = id === undefined ? undefined : model.ideas.get(id);
  if (!idea) return { left: '', right: '' };
  const others = waitingFor(model, idea.id).length;
  const waits =
    size.columns >= 120 && idea.since !== undefined && listsOf(model).needs.some((need) => need.id === idea.id)
      ? ` · waits since ${clock(idea.since, now)}`
      : '';
  return {
    left: [idea.id, clean(idea.title), restText(idea)].filter(Boolean).join(' · ') + waits,
    right: others === 0 ? '' : `${many(others, 'other')} ${others === 1 ? 'waits' : 'wait'} for it`,
  };
}

/** Sections of *Run* in the order of `Tab`. */
export const RUN_SECTIONS: readonly Section[] = ['needs', 'slots', 'resting', 'next', 'lately'];
