/**
 * Formats the events of one agent run as lines that a person can read while they scroll by. It remembers the tools of
 * that run.
 * Invariant: the glyph has the meaning without colour (G3). Text from agents has no terminal control characters.
 */

import pc from 'picocolors';
import type { StreamLine } from '../../agents/reading/stream.js';
import { took } from '../../decide/duration.js';
import type { Usage } from '../../protocol/agent-run.js';
import { many } from '../../protocol/many.js';
import { clean, dayLine } from './live-lines.js';
import { dayOf, localTime } from './terminal.js';

const INDENT = ' '.repeat(8);
/** Longest text of one message; the raw log has all of it. */
const MESSAGE_LINES = 40;

export class StreamView {
  readonly #paint: ReturnType<typeof pc.createColors>;
  readonly #tools = new Map<string, string>();
  #toolCount = 0;
  #usage: Usage = {};

  readonly #colour: boolean;
  readonly #time: (at: number) => string;
  #day = dayOf(Date.now());

  /** `time`: how it writes a moment; the screen shows no seconds. */
  constructor(colour: boolean, time: (at: number) => string = localTime) {
    this.#colour = colour;
    this.#time = time;
    this.#paint = pc.createColors(colour);
  }

  /** Lines for one event, each with the label; none for events without a line. */
  lines(event: StreamLine, label = ''): string[] {
    const lines = this.#body(event).map((line, index) => {
      const at = index === 0 ? this.#paint.dim(clock(event.at)) : INDENT;
      return `${at}  ${label}${line}`;
    });
    const day = dayOf(Date.parse(event.at));
    if (lines.length === 0 || day === this.#day) return lines;
    this.#day = day;
    return [dayLine(day, this.#colour), ...lines];
  }

  /** The texts of an event, one per line. */
  texts(event: StreamLine): string[] {
    return this.#body(event);
  }

  #body(event: StreamLine): string[] {
    const { dim, red, yellow, green, cyan } = this.#paint;
    switch (event.kind) {
      case 'session':
        return event.model ? [dim(`session with ${clean(event.model, 80)}`)] : [];
      case 'message':
        return messageLines(event.text);
      case 'tool': {
        const name = clean(event.name, 60);
        this.#toolCount++;
        if (event.id !== undefined) this.#tools.set(event.id, name);
        return [`${cyan('→')} ${name}${event.subject ? ` ${clean(event.subject)}` : ''}`];
      }
      case 'tool-result': {
        const name = event.name ?? this.#tools.get(event.id ?? '') ?? 'tool';
        this.#tools.delete(event.id ?? '');
        if (event.ok) return [];
        const code = event.exitCode === undefined ? '' : ` with exit code ${event.exitCode}`;
        return [`${red('✗')} ${clean(name, 60)} failed${code}${event.note ? `: ${clean(event.note)}` : ''}`];
      }
      case 'usage': {
        const { at: _at, kind: _kind, ...usage } = event;
        this.#usage = usage;
        return [];
      }
      case 'retrying': {
        const count = event.attempt === undefined ? '' : ` (${event.attempt}${event.of ? ` of ${event.of}` : ''})`;
        const wait = event.delayMs === undefined ? '' : `, in ${took(event.delayMs)}`;
        return [`${yellow('↻')} retries${count}${wait}: ${clean(event.message)}`];
      }
      case 'limit': {
        const until = event.resetAt === undefined ? '' : `, until ${this.#time(event.resetAt)}`;
        return [`${yellow('◷')} limit reached: ${clean(event.message)}${until}`];
      }
      case 'end': {
        const spent = [many(this.#toolCount, 'tool call'), usageText(this.#usage)];
        const what = event.ok
          ? green('✓ ended')
          : `${red('✗ failed')}${event.message ? `: ${clean(event.message)}` : ''}`;
        return [`${what}  ${dim(spent.filter((part) => part !== '').join(', '))}`];
      }
      case 'cut':
        return [dim(`… ${many(event.events, 'event')} left out; the raw log has them`)];
      default:
        // A newer version wrote this event.
        return [];
    }
  }
}

/** Removes the tags and the nonce of a signal, which are for the program. */
const withSignals = (text: string): string =>
  text.replace(/<(ralph|chorus|promise)\b[^>]{0,200}>([^<]*)<\/\1\s{0,8}>/gi, '$2');

function messageLines(text: string): string[] {
  const lines = withSignals(text)
    .split('\n')
    .map((line) => clean(line, 500).trimEnd())
    .filter((line) => line !== '');
  if (lines.length <= MESSAGE_LINES) return lines;
  return [...lines.slice(0, MESSAGE_LINES), `… ${many(lines.length - MESSAGE_LINES, 'more line')}`];
}

/** `2.6k tokens in, 68 out, $0.01`, without unknown amounts. */
export function usageText({ inputTokens, outputTokens, costUsd }: Usage): string {
  const parts = [
    ...(inputTokens === undefined ? [] : [`${short(inputTokens)} tokens in`]),
    ...(outputTokens === undefined ? [] : [`${short(outputTokens)} out`]),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
  ];
  return parts.join(', ');
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

const clock = (at: string): string => new Date(at).toTimeString().slice(0, 8);
