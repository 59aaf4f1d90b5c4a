/**
 * Fits output to the terminal: colours, width, characters, and local times.
 * Invariant: output to a pipe or file is never wrapped; without UTF-8 every sign has an ASCII form. Every command loads
 * this, so it imports nothing heavy.
 */
import { stripVTControlCharacters } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import { isCommandInMargin, UNBROKEN, unbroken } from '../../protocol/cut.js';
import { ASCII } from '../../screen/text/ascii.js';
import { width } from '../../screen/text/text.js';
import { dayBefore, withLocalTimes } from '../../screen/text/time.js';

type Env = Readonly<Record<string, string | undefined>>;

/** NO_COLOR overrides FORCE_COLOR, which overrides the stream. `TERM=dumb` gets no escapes. */
export function usesColour(stream: { isTTY?: boolean } = process.stdout, env: Env = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return !['0', 'false', 'no'].includes(env.FORCE_COLOR);
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Rings the terminal's bell; false without a terminal. */
export function ringBell(): boolean {
  if (!process.stderr.isTTY) return false;
  process.stderr.write('\u0007');
  return true;
}

/**
 * True when the locale is set and is not UTF-8. Many containers set no locale, and their terminals can show everything.
 */
export function onlyAscii(env: Env = process.env): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}

/** A line may grow; on the full screen it may not. */
const LINE_ASCII: Readonly<Record<string, string>> = { ...ASCII, '…': '...', '⇄': '~' };

export const asciiOf = (text: string): string => text.replace(/\P{ASCII}/gu, (sign) => LINE_ASCII[sign] ?? sign);

/** Time of a line, and the column of its text. */
const STAMP = /^(?:\p{Cc}\[\d+m)*\d\d:\d\d:\d\d(?:\p{Cc}\[\d+m)* {1,2}/u;

/**
 * Wraps lines between words and indents the rest below the text. Words that are longer than a line stay whole, and so do
 * commands: people copy them.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  if (width(stripVTControlCharacters(line)) <= columns) return line;
  const lead = (STAMP.exec(line) ?? /^ */.exec(line))?.[0] ?? '';
  const hang = STAMP.test(line) ? 11 : lead.length + 2;
  const room = columns - hang;
  if (room < 20) return line;
  if (isCommandInMargin(line)) return line;
  const text = unbroken(line.slice(lead.length));
  const [first = '', ...rest] = wrapAnsi(text, room, { hard: false }).split('\n');
  return [`${lead}${first}`, ...rest.map((part) => `${' '.repeat(hang)}${part}`)].join('\n').replaceAll(UNBROKEN, ' ');
}

/** Local clock time with seconds, with the day by the rule of the screen and the report. */
export const localTime = (at: number, now = Date.now()): string =>
  `${dayBefore(at, now)}${new Date(at).toTimeString().slice(0, 8)}`;

export const dayOf = (at: number): string => new Date(at).toDateString();

/** Prepares a text for people: local times, and signs that the terminal can show. */
export function forPeople(text: string, stream: { isTTY?: boolean; columns?: number }, env: Env = process.env): string {
  const local = withLocalTimes(text);
  const plain = onlyAscii(env) ? asciiOf(local) : local;
  return stream.isTTY && stream.columns ? wrapped(plain, stream.columns) : plain;
}

const LEAST = { columns: 40, rows: 10 };

/** Whether this terminal can show the full screen. Pipes, CI, screen readers and small windows get lines. */
export function canShowScreen(env: Env, output = process.stdout, input = process.stdin): boolean {
  if (!output.isTTY || !input.isTTY) return false;
  if (env.TERM === 'dumb' || env.CI || env.INK_SCREEN_READER) return false;
  return (output.columns ?? 80) >= LEAST.columns && (output.rows ?? 24) >= LEAST.rows;
}

/** Whether the full screen may ring: a matter of the person and not of the repository, so no key of the configuration. */
export const wantsBell = (env: NodeJS.ProcessEnv): boolean => env.RALPHCTL_BELL !== 'off';

/** Whether the full screen draws with ASCII signs. */
export const wantsAscii = (env: NodeJS.ProcessEnv): boolean =>
  env.RALPHCTL_GLYPHS === 'ascii' || env.TERM === 'linux' || onlyAscii(env);
