/** *Log*: the events in words, the newest last (G6). Invariant: composes visible lines only. */
import type { StampedEvent } from '../../protocol/events.js';
import { framed, screenLine } from '../frame.js';
import { listsOf } from '../lists.js';
import { eventKey, type Happened, happened } from '../run/happened.js';
import { coloured, dim, inverse, type Line, line } from '../text/line.js';
import { many, whole } from '../text/numbers.js';
import { clean, padId, upTo, width, wrap } from '../text/text.js';
import { clock } from '../text/time.js';
import type { Selection } from '../ui.js';
import { type Picture, type View, windowAt } from '../view.js';

/** Events that match the filter, the newest last. A question stands with the state of its idea, and not twice. */
function eventsOf({ model, ui, now }: View): StampedEvent[] {
  const find = ui.find.trim().toLowerCase();
  const events = model.log.filter(({ kind }) => kind !== 'asks');
  if (find === '') return events;
  return events.filter((event) => {
    const { who, text } = happened(event, model, now);
    return who.toLowerCase().includes(find) || text.toLowerCase().includes(find) || event.kind.includes(find);
  });
}

export const logPlaces = (view: View): Selection[] => eventsOf(view).map((event) => ({ id: eventKey(event) }));

export function logView(view: View): Picture {
  const { model, ui, size, now } = view;
  const events = eventsOf(view);
  const height = size.rows - 1 - 3;
  const chosen = ui.selected.log?.id;
  const found = chosen === undefined || ui.follow ? -1 : events.findLastIndex((event) => eventKey(event) === chosen);
  const at = found >= 0 ? found : events.length - 1;
  // The selected event may take several lines.
  const room = ui.wrap && found >= 0 ? Math.max(1, height - 2) : height;
  const first = windowAt(at, events.length, room, found >= 0 ? (ui.scroll.log ?? events.length) : events.length);
  const lines: Line[] = [];
  for (const [index, event] of events.slice(first, first + height).entries()) {
    const one = happened(event, model, now);
    const selected = first + index === at;
    const rows = eventLines(one, view, selected && ui.wrap && found >= 0);
    lines.push(...rows.map((row, place) => (selected ? mark(row, place === 0, size.columns) : row)));
    if (lines.length >= height) break;
  }
  if (events.length === 0)
    lines.push(line(dim(ui.find === '' ? ' nothing has happened yet' : ` nothing matches /${clean(ui.find)}`)));
  const find = ui.find.trim() === '' ? '' : `  /${clean(ui.find)}`;
  const of = ui.ofRun === undefined ? '' : ` of run ${clean(ui.ofRun)}`;
  const told = `${many(events.length, 'event')}${of}${find}${found < 0 && of === '' ? '  follows' : ''}`;
  const event = events[at];
  const idea = event && 'idea' in event && event.idea !== undefined ? model.ideas.get(event.idea) : undefined;
  return {
    ...framed(view, [screenLine(view, told), ...lines.slice(0, height)], {
      idea,
      left: idea ? `${idea.id} · ${clean(idea.title)}` : '',
      right: events.length > height ? `${whole(at + 1)} of ${whole(events.length)}` : '',
    }),
    ...(event ? { selected: { id: eventKey(event) } } : {}),
    scroll: first,
  };
}

const mark = (spans: Line, first: boolean, columns: number): Line => {
  const [start, ...rest] = spans;
  return start ? inverse([{ ...start, text: `${first ? '>' : ' '}${start.text.slice(1)}` }, ...rest], columns) : spans;
};

/** The selected event whole, the others on one line each. */
function eventLines(one: Happened, { model, size, now }: View, whole: boolean): Line[] {
  const id = Math.max(12, Math.min(listsOf(model).longestId, size.columns >= 120 ? 24 : 14));
  const time = clock(one.at, now);
  const start = line(` ${time} `, coloured(one.sign, one.colour), ` ${padId(clean(one.who), id)} `);
  const hang = time.length + 4 + id + 1;
  const title = one.title && size.columns >= 100 ? `   ${one.title}` : '';
  const text = `${one.text}${title}`;
  if (!whole) return [line(...start, text)];
  const room = Math.max(10, size.columns - hang - 1);
  // A wrapped text loses its columns.
  const [head = '', ...rest] = width(text) <= room ? [text] : wrap(text, room);
  return [line(...start, head), ...upTo(4, rest, room).map((row) => line(' '.repeat(hang), row))];
}
