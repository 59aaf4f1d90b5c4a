/**
 * Commit messages: `feat: add register endpoint #ch-004@ed-001` and the trailers that record the landing.
 * Invariant: each message here names exactly one idea in its trailers, whatever an agent wrote. Its mark neither
 * mentions a person nor links an issue on a forge: no blank before `@`, no digit after `#`, no `GH-12`. Pure.
 */
import { unlinked } from '../../protocol/unlinked.js';

/** The author of the work. */
export interface Worker {
  /** Name in the configuration: `claude`. */
  agent?: string;
  model?: string;
  /** Its task comes from a tracker: the message links no issue and mentions nobody. */
  unlinked?: true;
}

export interface MessageParts extends Worker {
  idea: string;
  /** Of the slot: `ed-001`. */
  agentName: string;
  title: string;
  /** Conventional type for titles without one; default `feat`. */
  type?: string;
}

export const IDEA_TRAILER = 'Ralph-Idea';
const AGENT_TRAILER = 'Ralph-Agent';
const MODEL_TRAILER = 'Ralph-Model';
const SLOT_TRAILER = 'Ralph-Slot';
/** On a commit that undoes an idea; value: the idea's id. */
export const REVERTED_TRAILER = 'Ralph-Reverted';

const MAX_SUBJECT = 100;
const MOST_SUBJECTS = 50;
const CONVENTIONAL = /^[a-z]{2,12}(?:\([^()\n]{1,40}\))?!?: \S/i;
/** Longer ones are years, or codes. */
const OUR_NUMBER = / \((?:[2-9]|[1-9]\d)\)$/;
const OURS = /^[ \t]*Ralph-(?:Idea|Agent|Model|Slot|Reverted)[ \t]*:/i;

/** The message of a commit that ralphctl makes for an idea. */
export function commitMessage(parts: MessageParts): string {
  const title = oneLine(parts.title) || 'work';
  const subject = CONVENTIONAL.test(title) ? title : `${parts.type ?? 'feat'}: ${lowerFirst(title)}`;
  return assemble(subject, [], parts);
}

/** The message of a commit that undoes an idea; `subjects` of the reverted commits. */
export function revertMessage(parts: MessageParts, subjects: readonly string[]): string {
  const title = oneLine(parts.title).replace(/^[a-z]{2,12}(?:\([^()\n]{1,40}\))?!?: /i, '') || 'work';
  const list = subjects.slice(0, MOST_SUBJECTS).map((subject) => `- ${oneLine(subject)}`);
  const more = subjects.length > MOST_SUBJECTS ? [`- and ${subjects.length - MOST_SUBJECTS} more`] : [];
  const body = list.length > 0 ? ['This takes back:', ...list, ...more] : [];
  return assemble(`revert: ${lowerFirst(title)}`, body, parts, REVERTED_TRAILER);
}

/** An existing message with idea and agent in its subject and trailers; the rest stays. */
export function normaliseMessage(existing: string, parts: MessageParts): string {
  const lines = existing
    .replaceAll('\r', '')
    .split('\n')
    .map((line) => line.trimEnd());
  const kept = lines.filter((line) => !OURS.test(line));
  const first = kept.findIndex((line) => line !== '');
  if (first < 0) return commitMessage(parts);
  return assemble(oneLine(kept[first] ?? ''), kept.slice(first + 1), parts);
}

/** Whether the message already has the form of {@link normaliseMessage}. */
export const isNormal = (message: string, parts: MessageParts): boolean =>
  normaliseMessage(message, parts).trimEnd() === message.trimEnd();

/** The message, with a number before its mark where `taken` has its subject: of iterations with the same words. */
export function numbered(message: string, taken: ReadonlySet<string>, parts: MessageParts): string {
  const subject = message.split('\n', 1)[0] ?? '';
  if (!taken.has(subject)) return message;
  const tail = ` ${markOf(parts)}`;
  const said = subject.slice(0, -tail.length).replace(OUR_NUMBER, '');
  for (let count = 2; ; count++) {
    const end = ` (${count})`;
    const next = `${shorten(said, roomBefore(tail) - end.length)}${end}${tail}`;
    if (!taken.has(next)) return next + message.slice(subject.length);
  }
}

function assemble(subject: string, body: readonly string[], parts: MessageParts, what = IDEA_TRAILER): string {
  const tail = ` ${markOf(parts)}`;
  const words = subject.split(' ').filter((word) => !isMark(word, parts));
  const said = words.join(' ').trim() || 'work';
  const head = shorten(parts.unlinked ? unlinked(said) : said, roomBefore(tail));
  const text = trimBlank(parts.unlinked ? body.map(unlinked) : body);
  const trailers = [
    `${what}: ${parts.idea}`,
    ...(parts.agent ? [`${AGENT_TRAILER}: ${oneLine(parts.agent)}`] : []),
    ...(parts.model ? [`${MODEL_TRAILER}: ${oneLine(parts.model)}`] : []),
    `${SLOT_TRAILER}: ${parts.agentName}`,
  ];
  // One trailer block: git reads only the last paragraph, so foreign trailers must be in the same block.
  const joined = endsInTrailers(text) ? [...text, ...trailers] : [...text, ...(text.length ? [''] : []), ...trailers];
  return `${head}${tail}\n\n${joined.join('\n')}\n`;
}

const roomBefore = (mark: string): number => Math.max(20, MAX_SUBJECT - mark.length);

/** `#12` and `GH-12` would link an issue, so such an id is spelt out: `idea-12`, `idea-GH_12`. */
const markOf = ({ idea, agentName }: MessageParts): string =>
  `${/^(?:\d|g[hl]-\d)/i.test(idea) ? `idea-${spelt(idea)}` : `#${idea}`}@${agentName}`;

const spelt = (idea: string): string => idea.replace(/^(g[hl])-(?=\d)/i, '$1_');

/** Also those of earlier versions. */
const namesOf = (idea: string): string[] => [`#${idea}`, `idea-${idea}`, `idea-${spelt(idea)}`];

/** Existing marks of this idea, including the forms of earlier versions. */
function isMark(word: string, { idea, agentName }: MessageParts): boolean {
  const [name = '', slot] = word.split('@');
  return (namesOf(idea).includes(name) && (slot === undefined || /^[\w-]+$/.test(slot))) || word === `@${agentName}`;
}

/** Whether the subject is marked as of the idea. Of several marks the last one counts: an agent may have written the others. */
export function hasMarkOf(subject: string, idea: string): boolean {
  const words = subject.split(' ');
  const whole = words.findLast((word) => /^(?:#|idea-)[^@]+@[\w-]+$/.test(word));
  // Earlier versions wrote the slot as a word of its own.
  return (whole === undefined ? words : [whole]).some((word) => namesOf(idea).includes(word.split('@', 1)[0] ?? ''));
}

function trimBlank(lines: readonly string[]): string[] {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start] === '') start++;
  while (end > start && lines[end - 1] === '') end--;
  return lines.slice(start, end);
}

function endsInTrailers(lines: readonly string[]): boolean {
  const last = lines.slice(lines.lastIndexOf('') + 1);
  return last.length > 0 && last.every((line) => /^[A-Za-z][A-Za-z0-9-]{0,60}: \S/.test(line));
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** Lowers the first letter, unless the first word is an acronym or a name with inner capitals. */
function lowerFirst(title: string): string {
  const word = title.split(' ', 1)[0] ?? '';
  const rest = word.slice(1);
  return rest !== rest.toLowerCase() || (word.length === 1 && word !== 'A')
    ? title
    : title.charAt(0).toLowerCase() + title.slice(1);
}

function shorten(text: string, limit: number): string {
  const chars = [...text];
  if (chars.length <= limit) return text;
  const cut = chars.slice(0, limit - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
