/**
 * Splits a task-list item into its parts: checkbox, id, title, property. Reads syntax-tree nodes; each pattern matches
 * the text of one node only.
 */
import type { ListItem, Nodes, Paragraph, PhrasingContent } from 'mdast';
import { IDEA_ID } from '../../protocol/idea.js';

export const startOf = (node: Nodes): number => node.position?.start.offset ?? 0;
export const endOf = (node: Nodes): number => node.position?.end.offset ?? 0;
export const lineOf = (node: Nodes): number => node.position?.start.line ?? 1;
export const columnOf = (node: Nodes): number => node.position?.start.column ?? 1;

const isComment = (html: string): boolean => html.startsWith('<!--');

/** The text of a node without markup. Keeps HTML tags and drops comments. */
export function plain(node: Nodes): string {
  if (node.type === 'html') return isComment(node.value) ? '' : node.value;
  if (node.type === 'break') return '\n';
  if ('value' in node) return node.value;
  if ('alt' in node && typeof node.alt === 'string') return node.alt;
  return 'children' in node ? node.children.map(plain).join('') : '';
}

export const firstParagraph = (item: ListItem): Paragraph | undefined => {
  const [first] = item.children;
  return first?.type === 'paragraph' ? first : undefined;
};

export interface Checkbox {
  done: boolean;
  /** Offset of the character between the brackets. */
  mark: number;
  /** Offset of the text after the checkbox. */
  end: number;
  paragraph: Paragraph;
}

/** The checkbox of an item, or the text between brackets that resemble a checkbox. */
export function checkbox(item: ListItem, source: string): Checkbox | { odd: string; paragraph: Paragraph } | undefined {
  const paragraph = firstParagraph(item);
  if (!paragraph) return undefined;
  const start = startOf(paragraph);
  const match = /^\[([^\]\r\n]{0,3})\](?:\s+|$)/.exec(source.slice(start, endOf(paragraph)));
  if (!match) return undefined;
  const [whole, mark = ''] = match;
  if (!/^[ \txX]$/.test(mark)) return { odd: mark, paragraph };
  return { done: /x/i.test(mark), mark: start + 1, end: start + whole.length, paragraph };
}

/** Letters and digits plus a character that ordinary words lack. */
const LOOKS_LIKE_ID = /[\d_-]|\.\w/;

export interface Heading {
  /** The id as written, valid or not. */
  id?: string;
  title: string;
  /** Offset of the task's text. */
  textStart: number;
}

/** Splits `**id**: title`, `` `id`: title ``, `id: title` or plain text that follows a checkbox at `from`. */
export function idAndTitle(paragraph: Paragraph, from: number, source: string): Heading {
  const rest = paragraph.children.filter((node) => endOf(node) > from);
  const [first, second] = rest;
  if (!first) return { title: '', textStart: from };
  if (startOf(first) < from || first.type === 'text') return plainHeading(first, rest.slice(1), from, source);
  const marked = plain(first).trim();
  const after = second?.type === 'text' ? second.value : '';
  const tail = rest
    .slice(second?.type === 'text' ? 2 : 1)
    .map(plain)
    .join('');
  const inside = /^(\S+?)\s*:\s*([\s\S]*)$/.exec(marked);
  if (inside?.[1] && inside[2] && first.type === 'strong' && IDEA_ID.test(inside[1]) && LOOKS_LIKE_ID.test(inside[1])) {
    return { id: inside[1], title: inside[2] + after + tail, textStart: from };
  }
  const name = marked.replace(/:$/, '');
  const colon = marked.endsWith(':') || /^\s*:/.test(after);
  const usable = IDEA_ID.test(name);
  if (!/^\S+$/.test(name) || (colon ? false : !usable || !LOOKS_LIKE_ID.test(name) || first.type === 'html')) {
    return { title: rest.map(plain).join(''), textStart: from };
  }
  const gap = /^\s*(?::|[-–—](?=\s))?\s*/;
  const end = endOf(first);
  const skipped = gap.exec(source.slice(end, endOf(paragraph)))?.[0].length ?? 0;
  return { id: name, title: after.replace(gap, '') + tail, textStart: end + skipped };
}

function plainHeading(first: PhrasingContent, others: PhrasingContent[], from: number, source: string): Heading {
  // The checkbox may be part of this node; escapes cannot change the text between its brackets.
  const value = plain(first);
  const text = startOf(first) < from ? value.replace(/^\[[^\]]*\]\s+/, '') : value;
  const title = text + others.map(plain).join('');
  const match = /^([^\s:]+):(?:\s+|$)/.exec(text);
  const id = match?.[1];
  if (!match || id === undefined || !IDEA_ID.test(id) || !LOOKS_LIKE_ID.test(id)) return { title, textStart: from };
  const skipped = /^[^\s:]+:\s*/.exec(source.slice(from))?.[0].length ?? 0;
  return { id, title: title.slice(match[0].length), textStart: from + skipped };
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
