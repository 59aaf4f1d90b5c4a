/**
 * The report as plain lines: tasks for a person, then landed ideas, then open ideas with their reasons, then findings.
 * Invariant: pure. With a width, no line is wider, and texts wrap at words with a hanging indent.
 */

import { sinceText } from '../model/at-end.js';
import type { RunModel } from '../model/model.js';
import { upToMore } from '../protocol/up-to-more.js';
import { many, moneyText, UNKNOWN } from '../screen/text/numbers.js';
import { width as cells, clean, cut, pad, paragraphs, wrap } from '../screen/text/text.js';
import { bar, LOOKS, type Shown } from '../screen/text/theme.js';
import { clock, lasted } from '../screen/text/time.js';
import { withFewAnswers } from './answers.js';
import { makeReport } from './build.js';
import type { Extra } from './extra.js';
import { notReported, reportCommand, stateText, targetText, totals, whenText } from './head.js';
import { restOf } from './rest.js';
import type { LandedIdea, OpenIdea, OpenState, Report, Todo } from './schema.js';

export interface TextOptions {
  /** Columns; absent: no limit. */
  width?: number;
  /** Show every idea instead of shortening long lists. */
  all?: boolean;
}

/** Maximum number of landed ideas, open ideas and question lines without `all`. */
const MOST_LANDED = 10;
const MOST_OPEN = 15;
const MOST_LINES = 6;
/** A text needs this many cells to leave room for text at the right edge. */
const LEAST_BESIDE = 20;

/** For the screen of a run that has ended. */
export const reportLines = (model: RunModel, extra: Extra, width: number): string[] =>
  textReport(makeReport(model, extra), { width });

export function textReport(report: Report, options: TextOptions = {}): string[] {
  const page = new Page(report, options);
  return [
    ...page.head(),
    ...page.section(
      `TO DO (${report.todo.length})`,
      report.todo.flatMap((one) => page.todo(one)),
    ),
    ...page.landed(),
    ...page.open(),
    ...page.groups(),
    ...page.section('WORTH A LOOK', page.look()),
    ...page.foot(),
  ];
}

/** The head and the tasks for a person, which `start` prints at the end of its run. */
export function firstPart(report: Report, options: TextOptions = {}): string[] {
  const page = new Page(report, options);
  return [
    ...page.head(),
    ...page.section(
      `TO DO (${report.todo.length})`,
      report.todo.flatMap((one) => page.todo(one)),
    ),
  ];
}

const SIGNS: Readonly<Record<OpenState, Shown>> = {
  asks: 'asks',
  approve: 'approve',
  blocked: 'blocked',
  'timed out': 'timed out',
  failed: 'failed',
  works: 'works',
  lands: 'lands',
  stopped: 'stopped',
  waits: 'slot',
  ready: 'ready',
  held: 'held',
  after: 'after',
  skipped: 'skipped',
  'given up': 'given up',
};

export const signOf = (state: OpenState | undefined): string => (state ? LOOKS[SIGNS[state]].sign : '!');

/** Wraps between items, never inside one. */
function flow(items: readonly string[], between: string, width: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && cells(last) + between.length + cells(item) <= width)
      lines[lines.length - 1] = `${last}${between}${item}`;
    else lines.push(cut(`  ${item}`, width));
  }
  return lines;
}

/** Texts below each other beside `lead`, each wrapped. `end` stands at the right edge of the first line. */
export function beside(lead: string, texts: readonly string[], width: number, end = ''): string[] {
  const hang = cells(lead);
  const room = Math.max(1, width - hang);
  const fits = end !== '' && room - cells(end) - 2 >= LEAST_BESIDE;
  const all = end !== '' && !fits ? [...texts.slice(0, 1), end, ...texts.slice(1)] : texts;
  const [first = '', ...rest] = all.flatMap((text, index) =>
    wrap(text, index === 0 && fits ? room - cells(end) - 2 : room),
  );
  const gap = width < Number.MAX_SAFE_INTEGER ? ' '.repeat(Math.max(2, room - cells(first) - cells(end))) : '  ';
  const start = fits ? `${lead}${first}${gap}${end}` : `${lead}${first}`;
  return [start, ...rest.map((text) => `${' '.repeat(hang)}${text}`)].map((line) => line.trimEnd());
}

class Page {
  readonly #report: Report;
  readonly #width: number;
  readonly #all: boolean;
  /** The command that prints everything. */
  readonly #whole: string;
  /** Width of the id column. */
  readonly #ids: number;

  constructor(report: Report, { width = Number.MAX_SAFE_INTEGER, all = false }: TextOptions) {
    this.#report = report;
    this.#width = Math.max(20, width);
    this.#all = all;
    this.#whole = `${reportCommand(report)} --all`;
    const subjects = [
      ...report.todo.map(({ subject }) => subject),
      ...[...report.landed, ...report.open].map(({ idea }) => idea),
    ];
    const longest = subjects.reduce((most, id) => Math.max(most, cells(clean(id))), 12);
    this.#ids = Math.min(longest, Math.max(8, Math.floor(Math.min(this.#width, 120) / 4)));
  }

  head(): string[] {
    const { run } = this.#report;
    const state = stateText(run);
    const target = targetText(this.#report);
    const since = sinceText(this.#report.since ?? []);
    return [
      ...wrap(`${clean(run.name)}: ${whenText(run)}, onto ${clean(run.target)}`, this.#width, 2),
      '',
      ...flow(totals(this.#report), '   ', this.#width),
      ...(state ? wrap(`  ${state}`, this.#width, 4) : []),
      ...(run.still ? wrap(`  ${clean(run.still)}`, this.#width, 4) : []),
      ...(target ? wrap(`  ${target}`, this.#width, 4) : []),
      ...(since ? wrap(`  ${since}`, this.#width, 4) : []),
    ];
  }

  section(title: string, lines: readonly string[]): string[] {
    return lines.length === 0 ? [] : ['', title, ...lines];
  }

  /** An id in its column, with texts below each other beside it. */
  #row(sign: string, id: string, texts: readonly string[], end = ''): string[] {
    return beside(`  ${sign} ${pad(clean(id), this.#ids)} `, texts, this.#width, end);
  }

  todo({ subject, state, text, notes, since, fix }: Todo): string[] {
    const lines = paragraphs(text).filter((line, index, all) => line !== '' || (index > 0 && all[index - 1] !== ''));
    const first = this.#all ? lines : upToMore(MOST_LINES, lines);
    const left = lines.length - first.length;
    const shown = left > 0 ? [...first, `… ${many(left, 'more line')}: ${this.#whole}`] : lines;
    // Keeps a command on one line where it fits.
    const help = clean(fix);
    const fixes = cells(help) <= this.#width - this.#ids - 5 ? [help] : help.split(/(?<=\.) /);
    const asked = state === 'asks' || state === 'approve';
    const end = asked && since !== undefined ? `since ${clock(since, this.#report.at)}` : '';
    return this.#row(
      signOf(state),
      subject,
      [...shown, ...(notes.length > 0 ? [notes.map(clean).join('; ')] : []), ...fixes],
      end,
    );
  }

  landed(): string[] {
    const { landed, counts } = this.#report;
    if (landed.length === 0) return [];
    const rows = landed.map((one) => ({ one, cells: rowOf(one) }));
    const heads = ['iter', 'took', counts.unknownDollars > 0 ? 'cost*' : 'cost', 'lines'];
    const widths = heads.map((head, at) =>
      rows.reduce((most, row) => Math.max(most, cells(row.cells[at] ?? '')), head.length),
    );
    const tail = (values: readonly string[]): string =>
      values.map((value, at) => pad(value, widths[at] ?? 0, 'right')).join('  ');
    const narrow = this.#width < this.#ids + widths.reduce((sum, one) => sum + one + 2, 0) + 14;
    const longest = rows.reduce((most, { one }) => Math.max(most, cells(clean(one.title))), 5);
    const titles = Math.min(longest, this.#width - this.#ids - 7 - widths.reduce((sum, one) => sum + one + 2, 0));
    const shown = this.#shown(landed);
    const lines = rows
      .filter(({ one }) => shown.has(one))
      .flatMap(({ one, cells: values }) => {
        const title = clean(one.title);
        const id = `  ✓ ${pad(clean(one.idea), this.#ids)} `;
        const row = narrow ? cut(`${id}${title}`, this.#width) : `${id}${pad(title, titles)}  ${tail(values)}`;
        const look = one.look.flatMap((text) => wrap(`      look: ${clean(text)}`, this.#width, 12));
        return [row.trimEnd(), ...look];
      });
    const left = landed.length - shown.size;
    const title = `LANDED (${landed.length})`;
    const head = narrow ? title : `${pad(title, 5 + this.#ids + titles)}  ${tail(heads)}`;
    const more = left > 0 ? [`  … ${left} more: ${this.#whole}`] : [];
    const note = counts.unknownDollars > 0 ? wrap(`  * ${notReported(this.#report)}`, this.#width, 4) : [];
    return ['', head, ...lines, ...more, ...note];
  }

  #shown(landed: readonly LandedIdea[]): Set<LandedIdea> {
    const first = [...new Set([...landed.filter(({ look }) => look.length > 0), ...landed])];
    return new Set(this.#all ? first : upToMore(MOST_LANDED, first));
  }

  /** Open ideas without a line of their own under TO DO. */
  open(): string[] {
    return restOf(this.#report, this.#report.todo).flatMap(({ title, ideas }) => {
      const shown = this.#all ? ideas : upToMore(MOST_OPEN, ideas);
      const left = ideas.length - shown.length;
      const more = left > 0 ? [`  … ${left} more: ${this.#whole}`] : [];
      const lines = shown.flatMap((one) => this.#openRow(one));
      return this.section(`${title.toUpperCase()} (${ideas.length})`, [...lines, ...more]);
    });
  }

  #openRow({ idea, state, reason, title, notes, later }: OpenIdea): string[] {
    const why = paragraphs(reason ?? '').find((line) => line !== '');
    const text = `${state}${later ? ` then, ${later}` : ''}: ${why ?? clean(title)}${later || notes.length === 0 ? '' : `; ${notes.map(clean).join('; ')}`}`;
    return this.#row(signOf(state), idea, [text]);
  }

  groups(): string[] {
    const { groups } = this.#report;
    const items = groups.map(
      ({ id, done, total }) => `${clean(id)} ${bar(total === 0 ? 0 : done / total, 10)} ${done}/${total}`,
    );
    return this.section('GROUPS', flow(items, '    ', this.#width));
  }

  look(): string[] {
    const look = this.#all ? this.#report.look : withFewAnswers(this.#report.look, this.#whole);
    const kinds = look.reduce((most, { kind }) => Math.max(most, cells(clean(kind))), 8);
    const column = Math.min(kinds, 12);
    return look.flatMap(({ kind, text }) => beside(`  ${pad(clean(kind), column)}  `, [clean(text)], this.#width));
  }

  foot(): string[] {
    const { target } = this.#report;
    const span = target?.from ? `${target.from.slice(0, 7)}..${target.to.slice(0, 7)}` : undefined;
    const parts = [`as a page: ${reportCommand(this.#report)} --html`, ...(span ? [`commits: git log ${span}`] : [])];
    const joined = parts.join('     ');
    return ['', ...(cells(joined) <= this.#width ? [joined] : parts.flatMap((part) => wrap(part, this.#width, 2)))];
  }
}

const rowOf = (one: LandedIdea): string[] => [
  `${one.iterations}`,
  one.agentMs === undefined ? UNKNOWN : lasted(one.agentMs),
  moneyText(one).replace('+', ''),
  one.lines ? `+${one.lines.added} -${one.lines.deleted}` : UNKNOWN,
];
