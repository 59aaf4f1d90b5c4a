/**
 * *Ideas*: all ideas as a tree or flat, filtered and sorted (A4).
 * Invariant: builds the list once per change of model or choice, and composes visible lines only.
 */
import { groupProgress } from '../../model/counts.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { iterationCount, runsOf } from '../../model/tally.js';
import { shownIn } from '../cut-off.js';
import { forNextShort, forNextText } from '../for-next.js';
import { framed, screenLine } from '../frame.js';
import { listsOf } from '../lists.js';
import { isPast } from '../past.js';
import { costText } from '../run/run-slots.js';
import { coloured, dim, inverse, type Line, line } from '../text/line.js';
import { many, whole } from '../text/numbers.js';
import { clean, cut, pad, padId, width } from '../text/text.js';
import { bar, LOOKS } from '../text/theme.js';
import type { Selection, Ui } from '../ui.js';
import { type Picture, type View, windowAt } from '../view.js';

export interface IdeaRow {
  id: string;
  depth: number;
  group: boolean;
}

interface Kept {
  key: string;
  rows: IdeaRow[];
}
const kept = new WeakMap<RunModel, Kept>();

export function ideaRows(model: RunModel, ui: Ui): IdeaRow[] {
  const key = [
    model.events,
    model.order.length,
    model.live?.at,
    ui.filter,
    ui.sort,
    ui.tree,
    ui.hideLanded,
    [...ui.closed].join(' '),
  ].join('|');
  const last = kept.get(model);
  if (last?.key === key) return last.rows;
  const rows = make(model, ui);
  kept.set(model, { key, rows });
  return rows;
}

/**
 * `/failed` matches a state, `/=catalog` a group, `/!landed` everything else; other text matches id, title and tags.
 * `only`: a state and no word like it.
 */
export function matcher(model: RunModel, filter: string, only = false): (idea: IdeaModel) => boolean {
  const text = filter.trim().toLowerCase();
  if (text === '') return () => true;
  if (text.startsWith('!')) {
    const inner = matcher(model, text.slice(1), true);
    return (idea) => !inner(idea);
  }
  if (text.startsWith('=')) {
    const group = text.slice(1);
    return (idea) => {
      for (
        let at: IdeaModel | undefined = idea;
        at;
        at = at.parent === undefined ? undefined : model.ideas.get(at.parent)
      ) {
        if (at.id.toLowerCase() === group) return true;
        if (at.parent === at.id) break;
      }
      return false;
    };
  }
  const stateOf = (idea: IdeaModel): string => shownIn(model, idea);
  if (STATES.has(text)) {
    const inState = (idea: IdeaModel): boolean => stateOf(idea) === text || idea.status === text;
    // Some states are common words, such as `login`: the word finds such ids, too, and titles where no idea is in the state.
    const some = [...model.ideas.values()].some(inState);
    const places = (idea: IdeaModel): string => (some ? idea.id : `${idea.id} ${idea.title}`);
    return (idea) => inState(idea) || (!only && wordsOf(places(idea)).includes(text));
  }
  return (idea) =>
    idea.id.toLowerCase().includes(text) ||
    idea.title.toLowerCase().includes(text) ||
    idea.tags.some((tag) => tag.toLowerCase().includes(text)) ||
    stateOf(idea).includes(text);
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);

const STATES = new Set<string>(Object.keys(LOOKS));

function make(model: RunModel, ui: Ui): IdeaRow[] {
  const matches = matcher(model, ui.filter);
  const wanted = (idea: IdeaModel): boolean => !(ui.hideLanded && idea.status === 'landed') && matches(idea);
  const compare = comparing(model, ui);
  const sorted = (ids: readonly string[]): IdeaModel[] => {
    const list = ids.flatMap((id) => model.ideas.get(id) ?? []);
    return compare ? list.sort(compare) : list;
  };
  if (!ui.tree)
    return sorted(model.order)
      .filter((idea) => !idea.group && wanted(idea))
      .map(({ id }) => ({ id, depth: 0, group: false }));
  const rows: IdeaRow[] = [];
  const seen = new Set<string>();
  const filtering = ui.filter.trim() !== '' || ui.hideLanded;
  const visit = (idea: IdeaModel, depth: number): boolean => {
    if (seen.has(idea.id)) return false;
    seen.add(idea.id);
    if (!idea.group && idea.children.length === 0) {
      if (!wanted(idea)) return false;
      rows.push({ id: idea.id, depth, group: false });
      return true;
    }
    const at = rows.length;
    rows.push({ id: idea.id, depth, group: true });
    let some = !filtering || wanted(idea);
    const closed = ui.closed.has(idea.id) && ui.filter.trim() === '';
    if (closed) {
      for (const one of below(model, idea)) seen.add(one);
      return true;
    }
    for (const child of sorted(idea.children)) some = visit(child, depth + 1) || some;
    if (!some) rows.length = at;
    return some;
  };
  for (const idea of sorted(model.order))
    if (idea.parent === undefined || !model.ideas.has(idea.parent)) visit(idea, 0);
  // The tree misses ideas whose parents form a cycle.
  for (const id of model.order) {
    const idea = seen.has(id) ? undefined : model.ideas.get(id);
    if (idea) visit(idea, 0);
  }
  return rows;
}

function below(model: RunModel, idea: IdeaModel): string[] {
  const found = new Set<string>();
  const open = [...idea.children];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(model.ideas.get(id)?.children ?? []));
  }
  return [...found];
}

const ORDER: readonly string[] = Object.keys(LOOKS);

function comparing(model: RunModel, { sort }: Ui): ((a: IdeaModel, b: IdeaModel) => number) | undefined {
  const state = (idea: IdeaModel): number => ORDER.indexOf(shownIn(model, idea));
  switch (sort) {
    case 'backlog':
      return undefined;
    case 'state':
      return (a, b) => state(a) - state(b);
    case 'score':
      return (a, b) => (model.live?.scores?.[b.id] ?? -1e9) - (model.live?.scores?.[a.id] ?? -1e9);
    case 'cost':
      return (a, b) => b.spent.dollars - a.spent.dollars;
    case 'time':
      return (a, b) => b.spent.ms - a.spent.ms;
  }
}

export const ideaPlaces = ({ model, ui }: View): Selection[] => ideaRows(model, ui).map(({ id }) => ({ id }));

export function ideasView(view: View): Picture {
  const { model, ui, size } = view;
  const rows = ideaRows(model, ui);
  const height = size.rows - 1 - 4;
  const chosen = ui.selected.ideas?.id ?? '';
  const found = rows.findIndex(({ id }) => id === chosen);
  // It landed, and landed ideas are hidden: no other one is chosen instead.
  const isHidden = ui.hideLanded && model.ideas.get(chosen)?.status === 'landed';
  const at = found < 0 && !isHidden ? 0 : found;
  const first = windowAt(at, rows.length, height, ui.scroll.ideas);
  const ideas = rows.reduce((sum, { group }) => sum + (group ? 0 : 1), 0);
  const filter = ui.filter.trim() === '' ? '' : `  /${clean(ui.filter)}`;
  const hidden = ui.hideLanded ? '  landed are hidden' : '';
  const of = isPast(ui) ? ` of run ${clean(model.runId)}` : '';
  const told = `${many(model.counts.total, 'idea')}${of}, ${whole(ideas)} shown${filter}${hidden}    by ${ui.sort}`;
  // Without its filter in sight, a short list reads as a loss of ideas.
  const some = filter !== '' || hidden !== '';
  const shorter = [
    ...(of === '' ? [] : [`${many(ideas, 'idea')}${of}${filter}${hidden}`]),
    ...(some ? [`${whole(ideas)} shown${filter}${hidden}`, filter.trim()] : of === '' ? [] : [of.trim()]),
  ];
  const lines: Line[] = [screenLine(view, told, shorter), ...(rows.length > 0 ? [header(view)] : [])];
  for (const [index, row] of rows.slice(first, first + height).entries()) {
    const spans = rowLine(row, view);
    lines.push(first + index === at ? marked(spans, size.columns) : spans);
  }
  if (rows.length === 0)
    lines.push(line(dim(ui.filter === '' ? ' no ideas' : ` no idea matches /${clean(ui.filter)}; Esc shows all`)));
  const row = rows[at];
  const idea = row ? model.ideas.get(row.id) : undefined;
  const left = idea ? `${idea.id} · ${clean(idea.title)}` : '';
  const place = rows.length > height && row ? `${whole(at + 1)} of ${whole(rows.length)}` : '';
  return {
    ...framed(view, lines, { idea, left, right: place }),
    ...(row ? { selected: { id: row.id } } : {}),
    scroll: first,
  };
}

const marked = (spans: Line, columns: number): Line => {
  const [first, ...rest] = spans;
  return first ? inverse([{ ...first, text: `>${first.text.slice(1)}` }, ...rest], columns) : spans;
};

/** Cells of state, iterations, percentage and cost. */
const STATE_CELLS = 27;

const nameCells = ({ model, size }: View): number =>
  Math.max(
    10,
    Math.min(listsOf(model).longestId, size.columns >= 100 ? Math.max(24, Math.floor(size.columns * 0.35)) : 12),
  );

/** The names of the columns, where `rowLine` puts them. */
function header(view: View): Line {
  const names = nameCells(view);
  const title = Math.max(0, view.size.columns - names - 9 - STATE_CELLS);
  const right = `${pad('state', 10)}${pad('iter.', 5, 'right')}${pad('done', 5, 'right')}${pad('cost', 7, 'right')}`;
  return line(dim(`   ${pad('idea', names + 3)} ${pad('title', title)}  ${right}`));
}

function rowLine({ id, depth, group }: IdeaRow, view: View): Line {
  const { model, ui, size } = view;
  const idea = model.ideas.get(id);
  if (!idea) return line(` ${id}`);
  const indent = ' '.repeat(1 + Math.min(depth, 8) * 2);
  const names = nameCells(view);
  // Titles begin in one column at any depth.
  const name = Math.max(4, names + 4 - indent.length);
  const title = Math.max(0, size.columns - indent.length - 2 - name - 1 - STATE_CELLS - 2);
  const start = (sign: Line, text = clean(idea.title)): Line =>
    line(indent, ...sign, ` ${padId(id, name)} ${pad(text, title)}  `);
  if (group) {
    const { done, total } = groupProgress(model.ideas, id);
    const sign = ui.closed.has(id) && ui.filter.trim() === '' ? '⊞' : '⊟';
    const tail = `  ${done}/${total} landed`;
    return line(
      ...start(line({ text: sign, bold: true })).map((span) => ({ ...span, bold: true as const })),
      coloured(bar(total === 0 ? 0 : done / total, 10), 'green'),
      tail,
    );
  }
  const shown = shownIn(model, idea);
  const look = LOOKS[shown];
  const sign = line(coloured(look.sign, look.colour));
  const columns = stateOf(idea, view, shown, look.colour);
  const next = forNextText(idea);
  if (next === undefined || shown === 'after' || shown === 'ready') return line(...start(sign), ...columns);
  // What the next start does is told in the free cells of the title, else in place of the numbers.
  const free = title - width(clean(idea.title)) - 2;
  if (free >= width(next)) return line(...start(sign, `${clean(idea.title)}  ${pad(next, free, 'right')}`), ...columns);
  return line(...start(sign), coloured(pad(shown, 10), look.colour), dim(cut(forNextShort(idea) ?? next, 17)));
}

/** Word, iterations, percentage, cost; for a waiting idea, the idea that it waits for. */
function stateOf(idea: IdeaModel, { model }: View, shown: string, colour: Parameters<typeof coloured>[1]): Line {
  if (shown === 'after') return line(dim(`after ${listsOf(model).after.get(idea.id) ?? ''}`));
  if (shown === 'ready') {
    const score = model.live?.scores?.[idea.id];
    return line(coloured(pad('ready', 10), colour), score === undefined ? '' : `score ${score}`);
  }
  const last = idea.iterations.at(-1);
  const running = idea.status === 'running';
  const max = idea.max ?? last?.max;
  const used = `${iterationCount(idea)}`;
  const iterations = last ? (running && max !== undefined ? `${last.number}/${max}` : used) : '';
  const percent = running && idea.percent !== undefined && idea.percent < 100 ? `${idea.percent}%` : '';
  return line(
    coloured(pad(shown, 10), colour),
    pad(iterations, 5, 'right'),
    pad(percent, 5, 'right'),
    pad(runsOf(idea.spent) === 0 ? '' : costText(idea), 7, 'right'),
  );
}
