/**
 * Signs, colours and words of every state, and their forms without colours and without UTF-8.
 * Invariant: sign and word carry the meaning, and colour repeats it. The ASCII form of a line is as wide as the line.
 */
import type { IdeaModel } from '../../model/model.js';
import { isOff } from '../../model/reverted.js';
import { ASCII } from './ascii.js';
import type { Colour, Line } from './line.js';
import { width } from './text.js';

export interface Theme {
  colour: boolean;
  ascii: boolean;
}

/** A status as people see it: one status may show as several. */
export type Shown =
  | 'works'
  | 'gate'
  | 'lands'
  | 'queued'
  | 'in review'
  | 'landed'
  | 'asks'
  | 'approve'
  | 'blocked'
  | 'timed out'
  | 'failed'
  | 'limit'
  | 'login'
  | 'slot'
  | 'paused'
  | 'held'
  /** The end of its run cut it off. */
  | 'stopped'
  | 'ready'
  | 'after'
  | 'skipped'
  | 'given up'
  /** It landed, and its work is no longer on the target. */
  | 'taken off';

interface Look {
  sign: string;
  colour?: Colour;
}

/** `review`: of the run, which waits for one. */
export const LOOKS: Readonly<Record<Shown | 'review', Look>> = {
  works: { sign: '▸', colour: 'blue' },
  gate: { sign: '▹', colour: 'blue' },
  lands: { sign: '▴', colour: 'blue' },
  queued: { sign: '▵', colour: 'blue' },
  'in review': { sign: '⇡', colour: 'blue' },
  landed: { sign: '✓', colour: 'green' },
  asks: { sign: '?', colour: 'cyan' },
  approve: { sign: '?', colour: 'cyan' },
  blocked: { sign: '⊗', colour: 'yellow' },
  'timed out': { sign: '◔', colour: 'yellow' },
  failed: { sign: '✗', colour: 'red' },
  limit: { sign: '◷', colour: 'yellow' },
  login: { sign: '◷', colour: 'yellow' },
  review: { sign: '!', colour: 'yellow' },
  slot: { sign: '◷', colour: 'yellow' },
  paused: { sign: '◫', colour: 'gray' },
  held: { sign: '◫', colour: 'gray' },
  stopped: { sign: '◫', colour: 'yellow' },
  ready: { sign: '◦' },
  after: { sign: '·', colour: 'gray' },
  skipped: { sign: '⊘', colour: 'gray' },
  'given up': { sign: '⊘', colour: 'gray' },
  'taken off': { sign: '⊖', colour: 'yellow' },
};

/** `landing`: the idea that lands now. `waitsFor`: an idea that this one depends on. */
export function shownOf(idea: IdeaModel, landing: string | undefined, waitsFor?: string): Shown {
  if (idea.approval && idea.status !== 'landed') return 'approve';
  if (idea.off || isOff(idea)) return 'taken off';
  switch (idea.status) {
    case 'running':
      return idea.gateNow ? 'gate' : (idea.waits?.kind ?? 'works');
    case 'landing':
      if (idea.review) return 'in review';
      return landing === idea.id ? 'lands' : 'queued';
    case 'needs-human':
      return 'asks';
    case 'timeout':
      return 'timed out';
    case 'wants-slot':
      return idea.waits?.kind ?? 'slot';
    case 'abandoned':
      return 'given up';
    case 'pending':
      if (idea.held) return 'held';
      // As the report has it.
      if (idea.forNext?.leftOut || idea.lineGone) return 'skipped';
      return waitsFor === undefined ? 'ready' : 'after';
    default:
      return idea.status;
  }
}

/** Sign and colour of each agent signal. */
export const SIGNALS: Readonly<Record<'complete' | 'blocked' | 'needs-human' | 'progress' | 'none', Look>> = {
  complete: { sign: '✓', colour: 'green' },
  blocked: { sign: '⊗', colour: 'yellow' },
  'needs-human': { sign: '?', colour: 'cyan' },
  progress: { sign: '▸', colour: 'blue' },
  none: { sign: '·', colour: 'gray' },
};

/** A bar of the given width, filled to `part` (0 to 1). */
export function bar(part: number, cells: number): string {
  const done = Math.max(0, Math.min(cells, Math.round(part * cells)));
  return `${'█'.repeat(done)}${'░'.repeat(cells - done)}`;
}

/** As wide as the text; a character without an ASCII form becomes `?`. */
export function asciiOf(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let out = '';
  for (const char of text) out += /^[\x20-\x7e]$/.test(char) ? char : (ASCII[char] ?? '?'.repeat(width(char)));
  return out;
}

/** The line in the form that this terminal can show. */
export function themed(spans: Line, { colour, ascii }: Theme): Line {
  if (colour && !ascii) return spans;
  return spans.map((span) => {
    const { colour: hue, ...rest } = span;
    return { ...rest, ...(colour && hue ? { colour: hue } : {}), text: ascii ? asciiOf(span.text) : span.text };
  });
}
