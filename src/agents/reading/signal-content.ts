/**
 * The text of a signal: between the tags, or alone on a plain line. Does not check its position.
 * Invariant: reasons and questions are bounded and free of control characters.
 */
import { type AgentSignal, MAX_SIGNAL_TEXT } from '../../protocol/signal.js';
import { eachLine, type LinePlace } from './markdown-lines.js';

/** Terminal escape sequences, control and formatting characters that could garble a terminal or hide text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is for
const UNPRINTABLE = /\x1b\[[0-9;?]{0,32}[ -/]?[@-~]|(?!\n)[\p{Cc}\u200b\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

/** Text as a person may see it: no control characters but line feeds, no lone surrogates, capped. */
export function cleanText(text: string): string {
  // Cut before cleaning as well, so that the cost does not depend on the agent's output.
  const cut = text
    .slice(0, MAX_SIGNAL_TEXT * 4)
    .replaceAll('\t', ' ')
    .replace(UNPRINTABLE, '')
    .trim();
  return cut.slice(0, MAX_SIGNAL_TEXT).replace(/[\ud800-\udbff]$/, '');
}

/** Reads `COMPLETE`, `BLOCKED: …`, `NEEDS_HUMAN: …`, `NEEDS_HELP: …`, `PROGRESS: n`; case does not matter. */
export function parseContent(content: string): AgentSignal | undefined {
  const trimmed = content.trim();
  const colon = trimmed.indexOf(':');
  const word = (colon < 0 ? trimmed : trimmed.slice(0, colon)).trim().toUpperCase();
  const rest = colon < 0 ? '' : trimmed.slice(colon + 1);
  switch (word) {
    case 'COMPLETE':
      return colon < 0 ? { kind: 'complete' } : undefined;
    case 'BLOCKED':
      return { kind: 'blocked', reason: cleanText(rest) };
    case 'NEEDS_HUMAN':
    case 'NEEDS_HELP':
      return { kind: 'needs-human', question: cleanText(rest) };
    case 'PROGRESS': {
      const number = /^\s*([+-]?\d{1,15}(?:\.\d{0,15})?)\s*%?\s*$/.exec(rest.slice(0, 64))?.[1];
      if (number === undefined || rest.length > 64) return undefined;
      return { kind: 'progress', percent: Math.max(0, Math.min(100, Math.trunc(Number(number)))) };
    }
    default:
      return undefined;
  }
}

/** Two promise texts are equal when they differ only in white space. */
export function samePromise(given: string, wanted: string): boolean {
  const flat = (text: string): string => text.trim().split(/\s+/).join(' ');
  return given.length <= wanted.length + 1024 && flat(wanted) !== '' && flat(given) === flat(wanted);
}

/*
 * Tells an echo of the prompt from an answer.
 * Invariant: linear in message and prompt; compares trimmed lines, so that re-wrapped white space does not hide an echo.
 */

/**
 * True when the line and the non-blank line before it are together in the prompt, or when the whole message is a piece
 * of it.
 */
export function isEcho(message: string, line: LinePlace, before: LinePlace | undefined, prompt: string): boolean {
  if (prompt === '') return false;
  const text = (place: LinePlace): string => message.slice(place.start, place.end).trim();
  const flatMessage = message.replaceAll('\r\n', '\n').trim();
  if (prompt.replaceAll('\r\n', '\n').includes(flatMessage)) return true;
  if (!before) return false;
  const wanted = text(line);
  const wantedBefore = text(before);
  let previous = '';
  let found = false;
  eachLine(prompt, (place) => {
    const here = prompt.slice(place.start, place.end).trim();
    if (here === wanted && previous === wantedBefore) found = true;
    previous = here;
  });
  return found;
}
