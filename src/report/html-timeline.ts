/**
 * Draws the night: a row for each slot, bars for agents and gates, signs for ends.
 * Invariant: pure. Its size grows with slots and ideas, not with the length of a run.
 */
import { many } from '../screen/text/numbers.js';
import { pad } from '../screen/text/text.js';
import { esc } from './html-parts.js';
import type { Report } from './schema.js';

const WIDTH = 1000;
const LEFT = 90;
const ROW = 24;
const TOP = 22;
/** Maximum number of rows. */
const MOST_ROWS = 24;
/** Joins bars of one kind that are closer than this, in cells of the drawing. */
const NEAR = 1.5;
/** Signs stand at least so far apart: one is about as wide, and a count beside it makes it wider. */
const NEAR_MARK = 13;
const COUNTED = 4;
const DIGIT = 6;
/** A sign moves at most so far from its time; else it joins the one before it. */
const MOST_MOVED = 40;
/** Room for the count of the last sign. */
const RIGHT = 30;

const MINUTE = 60_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map((minutes) => minutes * MINUTE);
const MOST_TICKS = 12;

const SIGNS: Readonly<Record<string, readonly [sign: string, look: string]>> = {
  landed: ['✓', 'landed'],
  failed: ['✗', 'failed'],
  blocked: ['⊗', 'stopped'],
  timeout: ['◔', 'stopped'],
  'needs-human': ['?', 'asks'],
};

/** `anchor`: the idea's position on the page, if any. Without it, bars of different ideas may join. */
type Anchor = ((idea: string) => string | undefined) | undefined;

export function timeline({ slots, run, at: now }: Report, anchor: Anchor): string {
  const from = Math.min(...slots.flatMap(({ bars }) => bars.map((bar) => bar.from)), run.startedAt ?? Number.MAX_VALUE);
  const to = Math.max(...slots.flatMap(({ bars }) => bars.map((bar) => bar.to)), run.endedAt ?? (run.over ? 0 : now));
  if (slots.length === 0 || !(to > from)) return '';
  const x = (time: number): number => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const rows = slots.slice(0, MOST_ROWS);
  const height = TOP + rows.length * ROW + 4;
  const drawn = rows.map((row, n) => drawRow(row, TOP + n * ROW, x, anchor)).join('');
  const more =
    slots.length > rows.length ? `<p class="soft">${many(slots.length - rows.length, 'more slot')} not drawn.</p>` : '';
  const label = `Who worked when: ${rows.length} rows from ${hhmm(from)} to ${hhmm(to)}`;
  return (
    `<div class="scroll" tabindex="0"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">` +
    `${ticks(from, to, x, height)}${drawn}</svg></div>` +
    `<ul class="key"><li><i style="background:var(--blue)"></i>agent</li><li><i style="background:var(--gate)"></i>gate</li>` +
    `<li><i style="background:var(--limit)"></i>limit</li><li>✓ landed</li><li>✗ failed</li><li>⊗ blocked</li><li>◔ timed out</li><li>? asks</li></ul>${more}`
  );
}

type Row = Report['slots'][number];

function drawRow(row: Row, y: number, x: (time: number) => number, anchor: Anchor): string {
  const name = `<text x="0" y="${y + 15}">${esc(row.name).slice(0, 60)}</text>`;
  const ideas = new Map<string | undefined, Record<string, [number, number][]>>();
  for (const { from, to, kind, ...bar } of row.bars) {
    const idea = anchor ? bar.idea : undefined;
    const kinds = ideas.get(idea) ?? {};
    ideas.set(idea, kinds);
    const spans = kinds[kind] ?? [];
    kinds[kind] = spans;
    const last = spans.at(-1);
    const [start, end] = [x(from), Math.max(x(to), x(from) + 0.8)];
    if (last && start - last[1] < NEAR && start >= last[0]) last[1] = Math.max(last[1], end);
    else spans.push([start, end]);
  }
  const bars = [...ideas].map(([idea, kinds]) => {
    const paths = Object.entries(kinds).map(([kind, spans]) => {
      const high = kind === 'gate' ? 8 : 14;
      const d = spans.map(
        ([a, b]) => `M${a.toFixed(1)} ${y + 18 - high}h${(b - a).toFixed(1)}v${high}h-${(b - a).toFixed(1)}z`,
      );
      return `<path class="${kind[0]}" d="${d.join('')}"/>`;
    });
    const to = idea === undefined ? undefined : anchor?.(idea);
    const inner = `<title>${esc(idea ?? row.name)}</title>${paths.sort().join('')}`;
    return to === undefined ? `<g>${inner}</g>` : `<a href="#${to}">${inner}</a>`;
  });
  return name + bars.join('') + drawMarks(row.marks, y, x);
}

interface Marked {
  sign: string;
  look: string;
  at: number;
  count: number;
}

/** Signs never overlap: those of one kind join, with a count; one of another kind moves a little to the right. */
function drawMarks(marks: Row['marks'], y: number, x: (time: number) => number): string {
  const drawn: Marked[] = [];
  for (const { at, state } of [...marks].sort((a, b) => a.at - b.at)) {
    const [sign, look] = SIGNS[state] ?? ['·', 'stopped'];
    const last = drawn.at(-1);
    const free = last ? last.at + NEAR_MARK + (last.count > 1 ? COUNTED + `${last.count}`.length * DIGIT : 0) : 0;
    const isNear = last !== undefined && x(at) < free && (last.sign === sign || free - x(at) > MOST_MOVED);
    if (isNear) last.count += 1;
    else drawn.push({ sign, look, at: Math.max(x(at), free), count: 1 });
  }
  return drawn
    .map(({ sign, look, at, count }) => {
      const many = count > 1 ? `<tspan font-size="9">${count}</tspan>` : '';
      return `<text class="m ${look}" x="${at.toFixed(1)}" y="${y + 4}" text-anchor="${many ? 'start' : 'middle'}">${sign}${many}</text>`;
    })
    .join('');
}

const hhmm = (time: number): string => {
  const date = new Date(time);
  return `${pad(`${date.getHours()}`, 2, 'right').replace(' ', '0')}:${`${date.getMinutes()}`.padStart(2, '0')}`;
};

function ticks(from: number, to: number, x: (time: number) => number, height: number): string {
  const step = STEPS.find((one) => (to - from) / one <= MOST_TICKS) ?? (to - from) / MOST_TICKS;
  // Aligns to whole hours of the local clock, also in time zones with half hours.
  const zone = new Date(from).getTimezoneOffset() * MINUTE;
  const lines: string[] = [];
  for (let time = Math.ceil((from - zone) / step) * step + zone; time <= to; time += step) {
    const at = x(time).toFixed(1);
    const label = step >= 1440 * MINUTE ? `${new Date(time).getDate()}.` : hhmm(time);
    lines.push(
      `<path class="grid" d="M${at} ${TOP - 4}V${height}"/><text x="${at}" y="12" text-anchor="middle">${label}</text>`,
    );
  }
  return lines.join('');
}
