/** A Markdown page as plain text for a terminal. Invariant: prose and tables fit the columns; code stays as it is. */
import type { ListItem, Node, Parents, PhrasingContent, Root, RootContent } from 'mdast';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import wrapAnsi from 'wrap-ansi';

interface Section {
  /** Text of a heading of level 1 or 2; level 1 holds what comes before the first of level 2. */
  heading: string;
  nodes: readonly RootContent[];
}

export interface Page {
  source: string;
  sections: readonly Section[];
}

const parsed = (text: string): Root => unified().use(remarkParse).parse(text);

export function pageOf(source: string): Page {
  const sections: { heading: string; nodes: RootContent[] }[] = [];
  for (const node of parsed(source).children) {
    if (node.type === 'heading' && node.depth <= 2) sections.push({ heading: inline(node), nodes: [] });
    else sections.at(-1)?.nodes.push(node);
  }
  return { source, sections };
}

export function plainText({ source, sections }: Page, columns: number): string {
  const width = Math.max(40, Math.min(columns, MOST_COLUMNS));
  return sections
    .map(({ heading, nodes }) => {
      const blocks = nodes.flatMap((node) => block(node, source, width - INDENT));
      return `${[heading, ...blocks.map(indented(INDENT))].join('\n\n')}\n`;
    })
    .join('\n');
}

const MOST_COLUMNS = 100;
const INDENT = 2;

const indented =
  (by: number) =>
  (text: string): string =>
    text.replace(/^(?=.)/gm, ' '.repeat(by));
const wrap = (text: string, width: number): string => wrapAnsi(text, Math.max(20, width), { hard: false });

/** Blank lines separate the returned blocks. */
function block(node: RootContent, source: string, width: number): string[] {
  if (node.type === 'code') return [indented(2)(node.value)];
  if (node.type === 'list') {
    const items = node.children.map((item, at) => listItem(item, node.ordered ? `${at + 1}. ` : '- ', source, width));
    return [items.join('\n')];
  }
  if (node.type === 'blockquote') return node.children.flatMap((one) => block(one, source, width));
  if (node.type === 'heading') return [inline(node)];
  if (node.type !== 'paragraph') return [];
  const raw = source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
  if (/^\|.*\n\|[-:| ]+(?:\n|$)/.test(raw)) return [table(raw, width)];
  return [wrap(inline(node), width)];
}

function listItem(item: ListItem, mark: string, source: string, width: number): string {
  const text = item.children.flatMap((one) => block(one, source, width - mark.length)).join('\n');
  return `${mark}${indented(mark.length)(text).trimStart()}`;
}

/** The text of a paragraph. Code keeps its quotes; links lose their addresses. */
const inline = (node: Parents): string => node.children.map((one) => phrase(one as PhrasingContent)).join('');
function phrase(node: PhrasingContent): string {
  if (node.type === 'text') return node.value.replace(/\s*\n\s*/g, ' ');
  if (node.type === 'inlineCode') return `\`${node.value}\``;
  if (node.type === 'break') return ' ';
  return hasChildren(node) ? inline(node) : '';
}
const hasChildren = (node: Node): node is Parents => 'children' in node;

/** remark-parse does not parse tables; every row is a line of its own. */
function table(raw: string, width: number): string {
  const [head = [], , ...rows] = raw.split('\n').map(cells);
  const last = head.length - 1;
  const widths = head.slice(0, last).map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const lead = widths.reduce((sum, one) => sum + one + 2, 0);
  if (lead <= width * NARROW) return rows.map((row) => narrowRow(row, widths, width - lead)).join('\n');
  return rows.map((row) => wideRow(head, row, width)).join('\n');
}

/** Share of the width for all columns but the last, in a table with one line per row. */
const NARROW = 0.45;

function narrowRow(row: readonly string[], widths: readonly number[], width: number): string {
  const lead = widths.map((one, at) => `${(row[at] ?? '').padEnd(one)}  `).join('');
  const [first = '', ...rest] = wrap(row[widths.length] ?? '', width).split('\n');
  return [`${lead}${first}`.trimEnd(), ...rest.map((line) => `${' '.repeat(lead.length)}${line}`)].join('\n');
}

/** Prints the first cell and the others below it. The column that explains the row needs no name. */
function wideRow(head: readonly string[], [term = '', ...others]: readonly string[], width: number): string {
  const column = (at: number): string => head[at + 1] ?? '';
  const named = others.flatMap((cell, at) => (cell && !EXPLAINS.test(column(at)) ? [`${column(at)}: ${cell}`] : []));
  const texts = others.filter((cell, at) => cell && EXPLAINS.test(column(at)));
  const below = [named.join('; '), ...texts].filter((line) => line !== '').map((line) => wrap(line, width - 4));
  return [wrap(term, width), ...below.map(indented(4))].join('\n');
}

const EXPLAINS = /^(?:meaning|it means|effect)$/;

const cells = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => {
      const text = cell.trim().replaceAll('\\|', '|');
      const only = /^`([^`]+)`$/.exec(text)?.[1];
      const [paragraph] = parsed(text).children;
      return only ?? (paragraph?.type === 'paragraph' ? inline(paragraph) : text);
    });
