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
}

const MOST_TEXT = 8000;
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

export function pullTitle({ id, title, origin }: Pick<Idea, 'id' | 'title' | 'origin'>): string {
  return `${(origin ? unlinked(title) : title).replace(/\s+/g, ' ').trim().slice(0, 200) || id} (${id})`;
}

const MOST_TITLE = 200;

/** From `landing.pr.title`: one line, also where a value has more of them. */
export function titleFrom(template: string, parts: BodyParts): string {
  const { text, values } = partsOf(parts);
  // Quoted, a text of a tracker would begin with a mark.
  const plain = parts.idea.origin ? unlinked(parts.idea.text) : text;
  const filled = fillTemplate(template, { ...values, text: plain }, 'landing.pr.title');
  const line = inOneLine(filled).replace(/\s+/g, ' ').trim();
  return [...line].slice(0, MOST_TITLE).join('').trim() || pullTitle(parts.idea);
}

/** `template`: a text of the user's with placeholders. */
export function pullBody(parts: BodyParts, template?: string): string {
  const { idea } = parts;
  const { text, criteria, gated, how, values } = partsOf(parts);
  if (template !== undefined)
    return `${fillTemplate(template, values, 'landing.pr.template').trimEnd()}\n\n${marker(idea.id)}`;
  return [
    ...(text === '' ? [] : [text, '']),
    ...section('Criteria', criteria),
    ...section('Gate', gated),
    ...section('How', how),
    marker(idea.id),
  ].join('\n');
}

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
    ...commits.map((one) => `- ${one}`),
  ];
  const title = idea.origin ? unlinked(idea.title) : idea.title;
  const [listed = '', gates = '', done = ''] = [criteria, gated, how].map((lines) => lines.join('\n'));
  const values = { id: idea.id, title, text, criteria: listed, gate: gates, how: done };
  return { text, criteria, gated, how, values };
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`### ${title}`, '', ...lines, ''];
