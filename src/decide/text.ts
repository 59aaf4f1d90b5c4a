/**
 * Foreign text inside ralphctl's Markdown. Invariant: the output shows the text as written and cannot leave its line,
 * quotation or code span, whatever it contains.
 */

import { cutAroundCommands } from '../protocol/cut.js';
import { many } from '../protocol/many.js';

/** Control characters, and characters that reverse the reading direction. */
const UNSEEN = /(?![\t\n])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line: line ends of every kind become spaces. */
export function oneLine(text: string): string {
  return escaped(text.replace(/[\r\n\u2028\u2029]+/g, ' ')).trim();
}

/** A quotation, each line marked. */
export function quoted(text: string): string {
  return text
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => `> ${escaped(line).trim()}`.trimEnd())
    .join('\n');
}

/** A code span, its fence longer than any run of backticks inside. */
export function code(text: string): string {
  const plain = text.replace(/[\r\n\u2028\u2029]+/g, ' ').replace(UNSEEN, '');
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = plain.startsWith('`') || plain.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${plain}${pad}${fence}`;
}

function escaped(text: string): string {
  return (
    text
      .replace(UNSEEN, '')
      .replace(/[\\`*_{}[\]<>#|~&!]/g, (char) => `\\${char}`)
      // At the start of a line these would begin a list, a rule or a heading.
      .replace(/^(\s*)([-+=])/, '$1\\$2')
      .replace(/^(\s*\d+)([.)])/, '$1\\$2')
  );
}

/*
 * Limits of text in workflow state and query answers: ten thousand ideas must fit one payload of 2 MB.
 */

/** Longest reason of an idea, in characters. Questions may be longer, because a person has to answer them. */
export const MAX_REASON = 300;
export const MAX_QUESTION = 1000;

/** Cuts a text to at most `most` characters with an ellipsis at the end, never inside a surrogate pair. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A reason for a person: a command in it stays whole. */
export const clipReason = (text: string): string => cutAroundCommands(text, MAX_REASON);

/** What an agent said, without its signals. Of a long one, the text may have only the beginning, or only the end. */
export const withoutSignal = (text: string): string =>
  text
    .replace(
      /<(ralph|chorus|promise)\b[^>]*>\s*(?:COMPLETE|BLOCKED|NEEDS_HUMAN|PROGRESS)\b[\s\S]*?(?:<\/\1\s*>|$)/gi,
      '',
    )
    .replace(/<(ralph|chorus|promise)\b[^>]*>(?:(?!<\/\1)[\s\S])*<\/\1\s*>\s*$/i, '')
    .replace(/^[\s\S]*<\/(?:ralph|chorus|promise)\s*>\s*$/i, '')
    .trim();

/** UTC, because workflows know no zone; the CLI shows local time. */
export const utcMinute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Counts landed ideas; those from before the run count only in the sum. `7 landed`, `7 of 40 ideas landed`,
 * `7 landed in this run (31 of 40 in all)`.
 */
export function landedText({ landed, landedBefore = 0, total }: LandedCounts): string {
  if (landedBefore > 0)
    return `${landed - landedBefore} landed in this run (${landed}${total === undefined ? '' : ` of ${total}`} in all)`;
  return total === undefined ? `${landed} landed` : `${landed} of ${many(total, 'idea')} landed`;
}

interface LandedCounts {
  /** In all. */
  landed: number;
  landedBefore?: number | undefined;
  total?: number;
}
