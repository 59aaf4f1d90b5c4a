/**
 * Reads what the agent said at the end of an iteration.
 *
 * Invariant: never accepts a signal that the agent did not give as its last word. A tag
 * `<ralph|chorus|promise [nonce="…"]>content</same name>` counts only when all of this holds:
 *  1. it ends the final message: after it come nothing but white space and `*` or `_`;
 *  2. it begins its line (up to three spaces and emphasis may precede), or it carries this iteration's nonce and the
 *     words before it on the line neither quote it nor negate, condition or exemplify it ("not", "when", "e.g." …);
 *  3. a nonce, where there is one, is this iteration's: a wrong one is never accepted;
 *  4. it stands in no code fence (closed or not), inline code, indented code, block quotation or quotation marks;
 *  5. it is no echo: its first line and the non-blank line before it do not stand together in the prompt, and the
 *     message is not a piece of the prompt.
 * Of several tags only the last can meet rule 1. Plain text counts only where XML is not required, and only as a last
 * line of its own under rules 4 and 5.
 * Linear in the message; never throws. Must not read anything but its arguments.
 */
import { type AgentSignal, MAX_QUESTION_TEXT, MAX_SIGNAL_TEXT } from '../../protocol/agent-run.js';
import { withoutEscapes } from '../../protocol/escapes.js';
import { eachLine, type LinePlace } from './markdown-lines.js';

export interface SignalContext {
  /** This iteration's nonce. */
  nonce: string;
  /** Completion promise; with one, nothing else completes. `COMPLETE` when absent; empty: only the keyword completes. */
  promise?: string;
  /** false: a plain last line counts as well. */
  requireXml: boolean;
  /** What the agent was given, to tell an echo from an answer. */
  prompt: string;
}

/** Longest tag with its content, in characters. */
const LONGEST_TAG = 64 << 10;
/** Longest stretch of the last line that is looked at for words that take a nonce'd tag back. */
const LONGEST_LEAD = 4096;
const NONE: AgentSignal = { kind: 'none' };

interface Candidate {
  /** Where the tag or plain line begins in the message. */
  at: number;
  name: string | undefined;
  nonce: string | undefined;
  content: string;
}

/** The signal that the agent gave as its last word, or `none`. */
export function parseSignal(finalMessage: string, ctx: SignalContext): AgentSignal {
  const end = contentEnd(finalMessage);
  const candidate = lastTag(finalMessage, end);
  if (candidate) {
    const signal = meaning(candidate, ctx);
    return signal && stands(finalMessage, candidate, end, ctx) ? signal : NONE;
  }
  return ctx.requireXml ? NONE : plainSignal(finalMessage, ctx);
}

/** Index after the last character that is neither white space nor closing emphasis. */
function contentEnd(text: string): number {
  let end = text.length;
  for (; end > 0; end--) {
    const code = text.charCodeAt(end - 1);
    // `*` and `_`; the rest is what trim() calls white space.
    const ignored = code <= 32 ? /\s/.test(String.fromCharCode(code)) : code === 42 || code === 95;
    if (!ignored && (code < 160 || text.charAt(end - 1).trim() !== '')) break;
  }
  return end;
}

/** The tag that ends at `end`, whatever it says. */
function lastTag(text: string, end: number): Candidate | undefined {
  const window = text.slice(Math.max(0, end - LONGEST_TAG), end);
  const closing = /<\/(ralph|chorus|promise)\s{0,8}>$/i.exec(window.slice(-32));
  const name = closing?.[1]?.toLowerCase();
  if (!closing || name === undefined) return undefined;
  const contentStop = window.length - closing[0].length;
  const opening = /^<([a-z]+)((?:\s[^<>]{0,256})?)>/i;
  for (let at = window.lastIndexOf('<', contentStop - 1); at >= 0; at = window.lastIndexOf('<', at - 1)) {
    const match = opening.exec(window.slice(at, at + 280));
    if (match?.[1]?.toLowerCase() === name) {
      const attributes = /^\s*(?:nonce\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))\s*)?$/i.exec(match[2] ?? '');
      if (!attributes) return undefined;
      const nonce = attributes[1] ?? attributes[2] ?? attributes[3];
      return { at: end - window.length + at, name, nonce, content: window.slice(at + match[0].length, contentStop) };
    }
    if (at === 0) break;
  }
  return undefined;
}

function meaning(tag: Candidate, ctx: SignalContext): AgentSignal | undefined {
  const parsed = parseContent(tag.content);
  // With a promise of its own, the keyword is a promise text like any other, and the wrong one.
  if (tag.name !== 'promise') return parsed?.kind === 'complete' && hasPromise(ctx) ? undefined : parsed;
  const promise = ctx.promise ?? 'COMPLETE';
  if (samePromise(tag.content, promise)) return { kind: 'complete' };
  return parsed?.kind === 'complete' && promise.trim().toUpperCase() !== 'COMPLETE' ? undefined : parsed;
}

const hasPromise = ({ promise = '' }: SignalContext): boolean =>
  !['', 'COMPLETE'].includes(promise.trim().toUpperCase());

/** Rules 2 to 5 for a tag. */
function stands(text: string, tag: Candidate, end: number, ctx: SignalContext): boolean {
  if (tag.nonce !== undefined && (tag.nonce !== ctx.nonce || ctx.nonce === '')) return false;
  let first: LinePlace | undefined;
  let before: LinePlace | undefined;
  let last: LinePlace | undefined;
  eachLine(text, (line) => {
    if (line.end < tag.at) before = line;
    else if (line.start <= tag.at) first = line;
    // Lines of nothing but emphasis may follow the tag.
    if (line.start < end) last = line;
  });
  if (!first || !last || first.quoted || last.quoted) return false;
  const lead = text.slice(first.start, tag.at);
  const alone = /^[ \t]{0,3}[*_]{0,3}$/.test(lead);
  if (!alone && (tag.nonce === undefined || !leadLetsPass(lead, tag.content))) return false;
  return !isEcho(text, first, before, ctx.prompt);
}

/** Rule 2 for a nonce'd tag that has words before it on its line. */
function leadLetsPass(lead: string, content: string): boolean {
  const near = lead.slice(-LONGEST_LEAD);
  if (/["'`´‘“«‹„‚\\([{<]\s{0,8}$/.test(near)) return false;
  const count = (pattern: RegExp): number => near.match(pattern)?.length ?? 0;
  if (count(/"/g) % 2 === 1 || count(/“/g) > count(/”/g) || count(/«/g) > count(/»/g)) return false;
  if (count(/`+/g) % 2 === 1 && content.includes('`')) return false;
  const sentence = near.slice(Math.max(near.lastIndexOf('. '), near.lastIndexOf('! '), near.lastIndexOf('? ')) + 1);
  return !/\b(?:not|never|cannot|without|unless|until|if|when|once|before|would|should|instead|example|e\.g)\b|n['’]t\b/i.test(
    sentence,
  );
}

/** The last line by itself, where XML is not required. */
function plainSignal(text: string, ctx: SignalContext): AgentSignal {
  let before: LinePlace | undefined;
  let last: LinePlace | undefined;
  eachLine(text, (line) => {
    before = last;
    last = line;
  });
  if (!last || last.quoted || last.end - last.start > LONGEST_TAG) return NONE;
  const line = text
    .slice(last.start, last.end)
    .trim()
    .replace(/^[*_]{1,3}/, '')
    .replace(/[*_]{1,3}$/, '');
  const bare = line.replace(/[.!…\s]{1,8}$/, '').replace(/[*_]{1,3}$/, '');
  const promise = ctx.promise ?? 'COMPLETE';
  const promised = samePromise(bare.toUpperCase(), promise.toUpperCase());
  const parsed = promised ? ({ kind: 'complete' } as const) : (parseContent(bare) ?? parseContent(line));
  if (!parsed) return NONE;
  if (parsed.kind === 'complete' && (promise.trim() === '' || (hasPromise(ctx) && !promised))) return NONE;
  return isEcho(text, last, before, ctx.prompt) ? NONE : parsed;
}

/*
 * The text of a signal: between the tags, or alone on a plain line. Does not check its position.
 * Invariant: reasons and questions are bounded and free of control characters.
 */

/** Control and formatting characters that could garble a terminal or hide text. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u200b\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

/**
 * Text as a person may see it: no control characters but line feeds, no lone surrogates. A text that is longer than
 * `most` characters is cut, and says so.
 */
function cleanText(text: string, most: number): string {
  // Cut before cleaning as well, so that the cost does not depend on the agent's output.
  const clean = withoutEscapes(text.slice(0, most * 4))
    .replaceAll('\t', ' ')
    .replace(UNPRINTABLE, '')
    .trim();
  if (clean.length <= most && text.length <= most * 4) return clean;
  return `${clean.slice(0, most).replace(/[\ud800-\udbff]$/, '')}\n(cut at ${most.toLocaleString('en-US')} characters)`;
}

/** Names the file with the whole text in the notice of a cut. */
export const withRest = (text: string, file: string): string =>
  text.replace(/\n\(cut at [\d,]+ characters(?=\)$)/, (notice) => `${notice}; the rest is in ${file}`);

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
      return { kind: 'blocked', reason: cleanText(rest, MAX_SIGNAL_TEXT) };
    case 'NEEDS_HUMAN':
    case 'NEEDS_HELP':
      return { kind: 'needs-human', question: cleanText(rest, MAX_QUESTION_TEXT) };
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
