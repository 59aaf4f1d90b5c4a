/**
 * Prepares a report for the gates: bounded, and without markup, escapes and template texts.
 * Invariant: never throws, and takes linear time for any content.
 */
import { withoutEscapes } from '../../protocol/escapes.js';
import type { BugReport } from '../../protocol/triage.js';
import { aboutOf, isEmptyAnswer, isEnvironmentLine, isPrompt, type SectionAbout } from './template.js';

const MOST_TITLE = 300;
const MOST_BODY = 20_000;

export interface Section {
  about: SectionAbout;
  text: string;
}

export interface Readable {
  title: string;
  /** The reporter's text, without headings, prompts, empty answers and environment details. */
  said: string;
  sections: readonly Section[];
  picture: boolean;
}

const PICTURE = /!\[[^\]\n]{0,200}\]\([^)\n]{1,500}\)|<img\b|\.(?:mp4|mov|webm)\b/i;

export function readable({ title, body }: Pick<BugReport, 'title' | 'body'>): Readable {
  const start = plain(body.slice(0, MOST_BODY));
  const sections = sectionsOf(start);
  return {
    title: plain(title.slice(0, MOST_TITLE)).trim(),
    said: sections
      .filter(({ about }) => about !== 'environment')
      .map(({ text }) => text)
      .join('\n')
      .trim(),
    sections,
    picture: PICTURE.test(body.slice(0, MOST_BODY)),
  };
}

/** Control characters, joiners and direction marks. */
const UNSEEN = /[^\P{C}\n\t]/gu;
/** Tags with a known name, so that `Vec<String>` stays. */
const TAGS =
  /<\/?(?:a|b|br|code|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|script|span|strong|style|sub|summary|sup|table|tbody|td|th|thead|tr|ul)\b[^<>]{0,300}>/gi;

const plain = (text: string): string =>
  withoutComments(withoutEscapes(text.replace(/\r\n?/g, '\n')).replace(UNSEEN, ''))
    .replace(TAGS, ' ')
    .replace(/!\[[^\]\n]{0,200}\]\([^)\n]{1,500}\)/g, ' ');

/** Removes `<!-- … -->`. Uses no pattern, because a pattern would search for the end again from each beginning. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const begin = text.indexOf('<!--', from);
    if (begin === -1) return kept.length === 0 ? text : kept.join('') + text.slice(from);
    kept.push(text.slice(from, begin));
    const end = text.indexOf('-->', begin + 4);
    if (end === -1) return kept.join('');
    from = end + 3;
  }
}

const FENCE = /^\s{0,3}(?:```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}\s+(\S.*)$/;
const BOLD = /^\s*(?:\*\*|__)([^*_]{1,100})(?:\*\*|__)\s*:?\s*$/;
const LABEL = /^\s*(?:\*\*)?([\p{L}][^.!?\n]{0,60}?)(?:\*\*)?\s*[:：](?:\*\*)?\s*$/u;
const CHECKBOX = /^\s*[-*]\s*\[[ xX]?\]/;

function sectionsOf(text: string): Section[] {
  const sections: { about: SectionAbout; lines: string[] }[] = [{ about: 'other', lines: [] }];
  let fenced = false;
  const add = (line: string): void => void sections.at(-1)?.lines.push(line);
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) fenced = !fenced;
    else if (fenced) add(line);
    else {
      const heading = headingOf(line);
      if (heading !== undefined) sections.push({ about: aboutOf(heading), lines: [] });
      else if (!CHECKBOX.test(line) && !isEmptyAnswer(line) && !isPrompt(line) && !isEnvironmentLine(line)) add(line);
    }
  }
  return sections
    .map(({ about, lines }) => ({ about, text: lines.join('\n').trim() }))
    .filter((one) => one.text !== '');
}

/** The words of a heading. A long heading that is not a question counts as the reporter's text. */
function headingOf(line: string): string | undefined {
  const found = HEADING.exec(line)?.[1] ?? BOLD.exec(line)?.[1];
  const label = found === undefined ? LABEL.exec(line)?.[1] : undefined;
  const words = (found ?? label ?? '').replace(/[*_`]/g, '').trim();
  if (words === '') return undefined;
  const known = aboutOf(words) !== 'other';
  const count = words.split(/\s+/).length;
  if (label !== undefined) return known || count <= 4 ? words : undefined;
  return known || count <= 5 || /[?:]$/.test(words) ? words : undefined;
}
