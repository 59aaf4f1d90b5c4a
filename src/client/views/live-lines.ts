/**
 * Formats run events as lines that a person can read while they scroll by. Pure.
 * Invariant: the glyph has the meaning without colour (G3). Text from agents has no control characters.
 */

import pc from 'picocolors';
import { took } from '../../decide/duration.js';
import type { BudgetLine, Spent } from '../../protocol/budget.js';
import { cutAroundCommands } from '../../protocol/cut.js';
import { inOneLine } from '../../protocol/escapes.js';
import type { StampedEvent } from '../../protocol/events.js';
import { restKey } from '../../protocol/idea-news.js';
import type { AccountLine } from '../../protocol/limits.js';
import { many } from '../../protocol/many.js';
import type { IdeaStatus } from '../../protocol/states.js';
import type { WarningLine } from '../../protocol/warnings.js';
import { LONGEST_WARNING } from '../../protocol/warnings.js';
import type { Line } from '../../screen/text/line.js';
import { ownLine, type Writing } from '../../screen/words/event-words.js';
import { UNDER } from '../../screen/words/idea-words.js';
import { isEnding, troubleVerb, warningWord } from '../../screen/words/state-words.js';
import { dayOf, localTime } from './terminal.js';

type Paint = ReturnType<typeof pc.createColors>;

/** How things stood when the event came. */
export interface Then {
  /** Of the run. */
  state?: string | undefined;
  /** Whether the idea had run before; undefined where nobody knows. */
  begun?: ((idea: string) => boolean) | undefined;
}

/** One line; undefined for events without one. */
export function liveLine(event: StampedEvent, colour: boolean, { state, begun }: Then = {}): string | undefined {
  const paint = pc.createColors(colour);
  const known = begun ? { begun: ({ idea }: { idea: string }) => begun(idea) } : {};
  const spans = ownLine(event, { ...WRITING, stops: () => isEnding(state), ...known });
  return spans && `${paint.dim(clock(event.at))} ${painted(spans, paint)}`;
}

/** Formats the events of a run in their order. Adds the date when it changes, and whole questions. */
export class LiveLines {
  readonly #colour: boolean;
  readonly #questions = new Map<string, string>();
  /** What was shown of a question whose whole text comes later. */
  readonly #cut = new Map<string, string>();
  readonly #rests = new Map<string, string | undefined>();
  readonly #ran: Set<string> | undefined;
  readonly #then: Then;
  #day = dayOf(Date.now());

  /** `ranBefore`: the ideas that had run before the events begin; undefined where nobody knows. */
  constructor(colour: boolean, ranBefore?: ReadonlySet<string>) {
    this.#colour = colour;
    this.#ran = ranBefore && new Set(ranBefore);
    const ran = this.#ran;
    this.#then = ran ? { begun: (idea) => ran.has(idea) } : {};
  }

  lines(event: StampedEvent): string[] {
    if (event.kind === 'run') this.#then.state = event.state;
    if (event.kind === 'idea' && this.#isRepeat(event)) return [];
    const line = event.kind === 'asks' ? this.#rest(event) : liveLine(this.#whole(event), this.#colour, this.#then);
    if (event.kind === 'idea' && RAN.has(event.status)) this.#ran?.add(event.idea);
    if (line === undefined) return [];
    const day = dayOf(Date.parse(event.at));
    if (day === this.#day) return [line];
    this.#day = day;
    return [dayLine(day, this.#colour), line];
  }

  #isRepeat(event: Extract<StampedEvent, { kind: 'idea' }>): boolean {
    const key = restKey(event);
    const before = this.#rests.get(event.idea);
    this.#rests.set(event.idea, key);
    return key !== undefined && key === before;
  }

  /** The question, where only its beginning was shown. */
  #rest({ idea, question, at }: Extract<StampedEvent, { kind: 'asks' }>): string | undefined {
    this.#questions.set(idea, question);
    const shown = this.#cut.get(idea);
    this.#cut.delete(idea);
    if (shown === undefined || !question.startsWith(shown)) return undefined;
    const paint = pc.createColors(this.#colour);
    return `${paint.dim(clock(at))} ${paint.cyan('?')} ${paint.bold(idea)} asks, in full${asked(question)}`;
  }

  #whole(event: StampedEvent): StampedEvent {
    if (event.kind === 'iteration-end') {
      if (event.signal.kind === 'needs-human') this.#questions.set(event.idea, event.signal.question);
      else this.#questions.delete(event.idea);
    }
    if (event.kind !== 'idea' || event.status !== 'needs-human' || !event.reason?.endsWith('…')) return event;
    const question = this.#questions.get(event.idea);
    const shown = event.reason.slice(0, -1);
    if (question?.startsWith(shown)) return { ...event, reason: question };
    this.#cut.set(event.idea, shown);
    return event;
  }
}

/** An idea that has come to one of these has run. */
const RAN: ReadonlySet<IdeaStatus> = new Set(['running', 'landing', 'landed']);

export const dayLine = (day: string, colour: boolean): string => pc.createColors(colour).dim(`── ${day} ──`);

/** Styles of a span as escapes. */
function painted(spans: Line, paint: Paint): string {
  return spans
    .map(({ text, colour, bold, dim }) => {
      const one = colour ? paint[colour](text) : text;
      return bold ? paint.bold(one) : dim ? paint.dim(one) : one;
    })
    .join('');
}

/** The words of the phrase book in the logs: exact times, whole questions, texts of at most 300 characters. */
const WRITING: Writing = {
  clean: (text, most) => clean(text, most),
  took,
  clock: localTime,
  question: ({ reason }) => asked(reason),
  account: (account) => accountText(account),
};

/** One account, its agents and why it waits. Times are local. */
export function accountText({ key, agents, state, kind, reason, until, probe }: AccountLine): string {
  const name = agents.length > 0 ? `${agents.join(', ')} (${key})` : key;
  if (state === 'open') return `${name} is open`;
  const why = `${troubleVerb(kind)}: ${clean(reason ?? '')}`;
  if (state === 'probing') return `${probe ?? 'the next idea'} retries ${name}; it ${why}`;
  const again = kind === 'auth' ? '; log in, then: ralphctl limits retry' : '';
  return `${name} ${why}${until === undefined ? again : `; resumes at ${localTime(until)}`}`;
}

/** One budget, its use, and how much is unknown. */
export function budgetText({ dimension, used, most, unknown }: BudgetLine): string {
  const shown = Math.round(used * 100) / 100;
  return `${shown} of ${most} ${dimension} used${unknown > 0 ? `, not counting ${many(unknown, 'run')} that did not report it` : ''}`;
}

/** Tokens and money of one idea. */
export function spentText({ tokens, dollars, unknownTokens, unknownDollars }: Spent): string {
  const some = (unknown: number): string => (unknown > 0 ? '+' : '');
  if (tokens === 0 && dollars === 0 && unknownTokens > 0 && unknownDollars > 0) return 'tokens and cost not reported';
  const used = tokens > 0 ? `${tokens}${some(unknownTokens)}` : unknownTokens > 0 ? 'unknown' : '0';
  const cost =
    dollars > 0 ? `$${dollars.toFixed(2)}${some(unknownDollars)}` : unknownDollars > 0 ? 'cost unknown' : '$0';
  return `${used} tokens, ${cost}`;
}

export function warningText({ idea, kind, text }: WarningLine): string {
  return `${idea ? `${idea} ` : ''}${warningWord(kind)}: ${clean(text, LONGEST_WARNING)}${idea ? `; ralphctl warn ${idea} continue|stop|+N` : ''}`;
}

/** A whole question, with its line breaks. */
function asked(question: string | undefined): string {
  if (!question) return '';
  const lines = paragraphs(question);
  return lines.length === 1 ? `: ${lines[0]}` : `:\n${lines.map((line) => `${UNDER}| ${line}`).join('\n')}`;
}

export { many };

const clock = (at: string): string => new Date(at).toTimeString().slice(0, 8);

/** A whole text with its line breaks, each line after `indent`, without terminal control characters. */
export const paragraphs = (text: string, indent = ''): string[] =>
  text.split(/\r?\n/).map((line) => `${indent}${clean(line, Number.POSITIVE_INFINITY)}`.trimEnd());

/** With the ellipsis. */
const MOST_IN_A_LINE = 301;

/** One line, without terminal control characters. Without `most`, a command in a long text stays whole. */
export function clean(text: string, most?: number): string {
  const plain = inOneLine(text);
  if (most === undefined) return cutAroundCommands(plain, MOST_IN_A_LINE);
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

/** Its command stays whole. */
export const backsOffText = (why: string): string => `it waits, and then tries again: ${clean(why, LONGEST_WARNING)}`;
