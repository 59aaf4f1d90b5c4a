/** The first three lines of every screen of a run: its state, its bar, its counts (G5). */
import type { RunModel } from '../../model/model.js';
import { iterationsMs } from '../../model/tally.js';
import type { BudgetLine } from '../../protocol/budget.js';
import type { Details } from '../details.js';
import { isOver } from '../idea/possible.js';
import { listsOf } from '../lists.js';
import { bold, coloured, dim, edges, type Line, line, lineWidth, within } from '../text/line.js';
import { dollarsOf, many, moneyText, needYou, short, usedText, whole } from '../text/numbers.js';
import { clean, cut, width } from '../text/text.js';
import { clock, lasted, timeToGo } from '../text/time.js';
import { type Standing, standingOf } from './standing.js';

export const stateLine = ({ sign, colour, text }: Standing): Line => [
  { text: `${sign} ${text}`, ...(colour ? { colour } : {}), bold: true },
];

/** `shop → main`, `shop → main, now trunk` */
export function place({ name, target, renamed }: RunModel, columns: number): string {
  const room = Math.max(8, Math.floor(columns / 4));
  const now = renamed?.branch === undefined ? ' (missing)' : `, now ${cut(clean(renamed.branch), room)}`;
  return `${cut(clean(name), room)} → ${cut(clean(target), room)}${renamed ? now : ''}`;
}

const headOf = (model: RunModel, standing: Standing, columns: number): Line =>
  line(bold(place(model, columns)), '  ', stateLine(standing));

export function topLine(model: RunModel, details: Details, now: number, columns: number): Line {
  const standing = standingOf(model, details, now);
  const head = headOf(model, standing, columns);
  if (model.reading) return within(head, columns);
  const wide = columns >= 120;
  if (standing.stale) {
    const asOf = asOfText(model, now);
    const rights = wide ? [[asOf, clock(now, now)].filter((one) => one !== '').join('   '), asOf] : [asOf];
    const right = rights.find((one) => fitsBeside(head, one, columns));
    return right === undefined ? within(head, columns) : edges(head, line(dim(right)), columns);
  }
  const limits = standing.limits ? '' : limitsText(model, now, wide);
  const parts = isOver(model)
    ? wide
      ? []
      : [money(model)]
    : [model.mode, slots(model), ...(wide ? [] : [money(model)]), limits];
  const right = wide ? [amounts(model), clock(now, now)].filter((one) => one !== '').join('   ') : '';
  const size = (list: readonly string[]): number =>
    list.reduce((sum, one) => sum + (one === '' ? 0 : width(one) + 2), width(head.map(({ text }) => text).join('')));
  // Drops parts that another screen shows: the mode first, then the slots.
  for (const least of [0, 1, 0]) {
    if (size(parts) + (right === '' ? 0 : width(right) + 2) <= columns) break;
    if (parts[least]) parts[least] = '';
  }
  const left = line(head, ...parts.filter((one) => one !== '').map((one) => `  ${one}`));
  return right === '' ? within(left, columns) : edges(left, line(right), columns);
}

/** The moment of a picture that nobody keeps up to date. */
const asOfText = ({ lastAt }: RunModel, now: number): string =>
  lastAt === undefined ? '' : `as of ${clock(lastAt, now)}`;

const fitsBeside = (head: Line, right: string, columns: number): boolean =>
  width(right) <= columns - lineWidth(head) - 2;

function slots(model: RunModel): string {
  const busy = listsOf(model).taken;
  return model.slots === undefined ? many(busy, 'slot') : `${busy}/${many(model.slots, 'slot')}`;
}

function budget(model: RunModel): BudgetLine | undefined {
  return model.budget.find(({ scope, dimension }) => scope === 'run' && dimension === 'dollars');
}

function money(model: RunModel): string {
  const line = budget(model);
  if (line) return `${usedText(line)} of ${dollarsOf(line.most)}`;
  return model.spent.dollars === 0 ? '' : moneyText(model.spent);
}

function amounts(model: RunModel): string {
  const tokens = model.spent.tokensIn + model.spent.tokensOut;
  return [money(model), tokens > 0 ? `${short(tokens)} tokens` : ''].filter((one) => one !== '').join(' · ');
}

/** `◷ codex 00:10`; with all agents where space allows. */
function limitsText(model: RunModel, now: number, all: boolean): string {
  const closed = new Map<string, string>();
  for (const { agents, state, until, kind } of model.accounts.values()) {
    if (state === 'open') continue;
    const when = kind === 'auth' ? 'login' : until === undefined ? '' : clock(until, now);
    for (const agent of agents) closed.set(agent, when);
  }
  if (all) {
    const { agents } = listsOf(model);
    const shown = agents.map((agent) => {
      const when = closed.get(agent);
      return when === undefined ? clean(agent) : `${clean(agent)} ◷ ${when}`.trimEnd();
    });
    return shown.join(', ');
  }
  if (closed.size === 0) return 'no limits';
  return [...closed].map(([agent, when]) => `◷ ${clean(agent)} ${when}`.trimEnd()).join('  ');
}

/** Sign and count of each part of the bar. */
const partsOf = ({ counts }: RunModel) =>
  [
    { sign: '█', colour: 'green', count: counts.landed },
    { sign: '▓', colour: 'blue', count: counts.landing },
    { sign: '▒', colour: 'blue', count: counts.working },
    { sign: '!', colour: 'cyan', count: counts.needYou },
    { sign: '░', colour: 'gray', count: counts.todo + counts.skipped + counts.takenOff },
  ] as const;

/** Every non-empty part gets a cell; remainders decide about the rest. */
export function runBar(model: RunModel, columns: number): Line {
  const parts = partsOf(model).filter(({ count }) => count > 0);
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return line(coloured('░'.repeat(columns), 'gray'));
  const exact = parts.map(({ count }) => (count / total) * columns);
  const cells = exact.map((one) => Math.max(1, Math.floor(one)));
  for (let rest = columns - cells.reduce((a, b) => a + b, 0); rest !== 0; rest += rest > 0 ? -1 : 1) {
    const sign = rest > 0 ? 1 : -1;
    let best = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (const [index, one] of exact.entries()) {
      const have = cells[index] ?? 0;
      if (sign < 0 && have <= 1) continue;
      const lacks = sign * (one - have);
      if (lacks > most) {
        most = lacks;
        best = index;
      }
    }
    if (best < 0) break;
    cells[best] = (cells[best] ?? 0) + sign;
  }
  return line(...parts.map(({ sign, colour }, index) => coloured(sign.repeat(cells[index] ?? 0), colour)));
}

/** Whether an idea works, lands or can start. One that a person holds back does none of these. */
const canRun = (model: RunModel): boolean =>
  !isOver(model) && model.counts.landing + model.counts.working + listsOf(model).ready.length > 0;

export function countsLine(model: RunModel, details: Details, now: number, columns: number): Line {
  if (model.reading) return line();
  const { counts } = model;
  const standing = standingOf(model, details, now);
  const { stale, second } = standing;
  const { off, landedBefore, needs } = listsOf(model);
  // As the words of the outcome name that sum. The run keeps its number.
  const landed = `${whole(counts.landed)} landed${landedBefore > 0 ? ' in all' : ''}${off > 0 ? ` (${whole(off)} taken off)` : ''}`;
  const parts = stale
    ? [
        landed,
        `${whole(counts.working)} worked then`,
        needYou(needs.length),
        `${whole(counts.todo + counts.landing)} to do`,
      ]
    : [
        landed,
        `${whole(counts.landing)} land`,
        `${whole(counts.working)} work`,
        needYou(needs.length),
        `${whole(counts.todo)} to do`,
      ];
  if (counts.skipped > 0) parts.push(`${whole(counts.skipped)} left out`);
  if (counts.takenOff > 0) parts.push(`${whole(counts.takenOff)} taken off`);
  parts.push(`of ${whole(counts.total)}`);
  const { resting } = listsOf(model);
  const open = counts.todo + counts.landing + counts.working - resting.length;
  const togo =
    second !== undefined || !canRun(model) ? undefined : timeToGo(listsOf(model).landedMs, open, model.slots ?? 1);
  const { iterations } = model.spent;
  const average =
    columns >= 120 && iterations > 0
      ? `${many(iterations, 'iteration')}, ${lasted(iterationsMs(model.spent) / iterations)} on average`
      : '';
  // What the first line has no room for.
  const asOf = stale && !fitsBeside(headOf(model, standing, columns), asOfText(model, now), columns);
  const rights = asOf
    ? [asOfText(model, now), '']
    : togo === undefined
      ? ['']
      : [`${togo} to go`, `${togo.replace('about ', '~')} to go`, ''];
  for (const right of rights) {
    for (const gap of ['   ', '  ']) {
      const left = ` ${parts.join(gap)}`;
      const end = [average, right].filter((one) => one !== '').join('   ');
      if (width(left) + (end === '' ? 0 : width(end) + 2) <= columns) return edges(line(left), line(dim(end)), columns);
    }
  }
  return within(line(` ${parts.join('  ')}`), columns);
}

/** State, the bar or the reason for a hold, counts. */
export function top(model: RunModel, details: Details, now: number, columns: number): Line[] {
  const { second } = standingOf(model, details, now);
  return [
    topLine(model, details, now, columns),
    second === undefined || second === '' ? runBar(model, columns) : within(line(` ${second}`), columns),
    countsLine(model, details, now, columns),
  ];
}
