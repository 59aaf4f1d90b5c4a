/** Title and body of an idea's pull request. Pure. */

import { fillTemplate } from '../../agents/prompt/template.js';
import { inOneLine } from '../../protocol/escapes.js';
import type { MergedGate } from '../../protocol/git-work.js';
import type { Idea } from '../../protocol/idea.js';
import { many } from '../../protocol/many.js';
import { unlinked } from '../../protocol/unlinked.js';

export interface BodyParts {
  idea: Pick<Idea, 'id' | 'title' | 'text' | 'success' | 'origin'>;
  gate?: MergedGate | undefined;
  /** The pull request that it stands on; absent: the target. */
  on?: string | undefined;
  /** Agent runs of the idea, and their cost in dollars, as far as known. */
  runs: number;
  dollars?: number | undefined;
  /** Agent and model. */
  by: readonly string[];
  /** Subjects of the commits. */
  commits: readonly string[];
  /** Name the issue of the idea. */
  linkIssue?: boolean | undefined;
}

const MOST_TEXT = 8000;
/** GitHub takes 65,536 characters. */
const MOST_BODY = 60_000;
const MOST_COMMITS = 100;
const MOST_CRITERIA = 16_000;
/** Finds the pull request's idea again, whatever people make of its text. */
export const marker = (idea: string): string => `<!-- ralphctl idea ${idea} -->`;

/**
 * Text from outside: quoted line by line, without mentions, links to issues, pictures and markup, so that it neither acts
 * on the forge nor looks like a part of the report.
 */
const quoted = (text: string): string =>
  unlinked(text)
    .replaceAll('<', '&lt;')
    .replaceAll('![', '!\\[')
    .split(/\r\n?|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

/** GitHub takes 256 characters, and GitLab 255. */
const MOST_TITLE = 200;

/** Never inside a surrogate pair. */
const clip = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text;

const cutTitle = (line: string, most: number): string => [...line].slice(0, most).join('').trim();

export function pullTitle({ id, title, origin }: Pick<Idea, 'id' | 'title' | 'origin'>): string {
  const line = (origin ? unlinked(title) : title).replace(/\s+/g, ' ').trim();
  return `${cutTitle(line, MOST_TITLE - id.length) || id} (${id})`;
}

/** From `landing.pr.title`: one line, also where a value has more of them. */
export function titleFrom(template: string, parts: BodyParts): string {
  const { text, values } = partsOf(parts);
  // Quoted, a text of a tracker would begin with a mark.
  const plain = parts.idea.origin ? unlinked(parts.idea.text) : text;
  const filled = fillTemplate(template, { ...values, text: plain }, 'landing.pr.title');
  const line = inOneLine(filled).replace(/\s+/g, ' ').trim();
  return cutTitle(line, MOST_TITLE) || pullTitle(parts.idea);
}

/** `template`: a text of the user's with placeholders. */
export function pullBody(parts: BodyParts, template?: string): string {
  const { idea } = parts;
  const { text, criteria, gated, how, values } = partsOf(parts);
  const from = parts.linkIssue && values.issue !== '' ? [`For: ${values.issue}`, ''] : [];
  if (template !== undefined) return bounded(fillTemplate(template, values, 'landing.pr.template').trimEnd(), idea.id);
  const lines = [
    ...(text === '' ? [] : [text, '']),
    ...from,
    ...section('Criteria', criteria),
    ...section('Gate', gated),
    ...section('How', how),
  ];
  return bounded(lines.join('\n').trimEnd(), idea.id);
}

/** With the mark of the idea, whatever is cut. */
const bounded = (text: string, idea: string): string =>
  `${text.length > MOST_BODY ? `${clip(text, MOST_BODY)}\n\n[The rest is cut.]` : text}\n\n${marker(idea)}`;

/** What placeholders stand for. */
function partsOf({ idea, gate, on = 'the target', runs, dollars, by, commits }: BodyParts) {
  const whole = idea.text.trim();
  const cut = whole.length > MOST_TEXT ? `${whole.slice(0, MOST_TEXT)}…` : whole;
  const text = idea.origin && cut !== '' ? quoted(cut) : cut;
  const tests = gate?.tests ? `, ${gate.tests.passed} of ${gate.tests.total} tests passed` : '';
  const commands = gate?.commands ?? [];
  const cost = dollars === undefined || dollars === 0 ? '' : `, $${dollars.toFixed(2)}`;
  const criteria = idea.success.map((one) => `- ${idea.origin ? unlinked(one) : one}`);
  const gated = [
    commands.length === 0 ? 'No gate is configured.' : `Green on top of ${on}${tests}:`,
    ...commands.map(
      ({ command, durationMs }) => `- \`${command.replaceAll('`', "'")}\` (${(durationMs / 1000).toFixed(1)} s)`,
    ),
  ];
  const how = [
    `${many(runs, 'agent run')}${by.length > 0 ? ` by ${by.join(', ')}` : ''}${cost}.`,
    ...commits.slice(0, MOST_COMMITS).map((one) => `- ${one}`),
    ...(commits.length > MOST_COMMITS ? [`- and ${commits.length - MOST_COMMITS} more commits`] : []),
  ];
  const title = idea.origin ? unlinked(idea.title) : idea.title;
  const [gates = '', done = ''] = [gated, how].map((lines) => lines.join('\n'));
  const listed = clip(criteria.join('\n'), MOST_CRITERIA);
  const values = { id: idea.id, issue: addressOf(idea), title, text, criteria: listed, gate: gates, how: done };
  return { text, criteria: listed === '' ? [] : [listed], gated, how, values };
}

/** Forges make a link of it, and no mention. Whatever a tracker of the user's says, it is one address. */
function addressOf({ origin }: Pick<Idea, 'origin'>): string {
  const url = origin?.url;
  if (url === undefined || /\s/.test(url) || !URL.canParse(url)) return '';
  const { protocol, host, pathname, search } = new URL(url);
  const plain = `${protocol}//${host}${pathname}${search}`;
  return /^https?:\/\/[\w.:-]+(?:\/[\w.~:/?=&+%-]*)?$/.test(plain) ? plain : '';
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`### ${title}`, '', ...lines, ''];
