/**
 * A backlog file for formats: its path, its text without a byte order mark, and its parsed forms, each parsed once.
 * Invariant: never throws a parser's error.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse as parseYaml } from 'yaml';
import { tooDeepAt } from '../../config/depth.js';
import { type MdLine, markdownLines } from './md-lines.js';

/** Contents of files that belong to the backlog, by name relative to it. */
export type Beside = ReadonlyMap<string, string>;

const UNREAD = Symbol('unread');

export interface JsonFault {
  offset: number;
  what: string;
}

export class Source {
  readonly file: string;
  readonly text: string;
  readonly beside: Beside;
  #tree: { node: Node | undefined; fault?: JsonFault } | undefined;
  #json: unknown = UNREAD;
  #yaml: unknown = UNREAD;
  #lines: readonly MdLine[] | undefined;
  #rows: readonly Row[] | undefined;
  #starts: readonly number[] | undefined;

  constructor(file: string, text: string, beside: Beside = new Map()) {
    this.file = file;
    this.text = text;
    this.beside = beside;
  }

  /** The path with forward slashes. */
  get path(): string {
    return this.file.replaceAll('\\', '/');
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  /** The file extension in lower case, without the dot. */
  get ending(): string {
    return /\.([A-Za-z0-9]+)$/.exec(this.name)?.[1]?.toLowerCase() ?? '';
  }

  get markdown(): boolean {
    return /^(?:md|markdown|mdown|mkd)$/.test(this.ending);
  }

  /** The syntax tree of the whole text as JSON with comments. */
  tree(): { node: Node | undefined; fault?: JsonFault } {
    this.#tree ??= treeOf(this.text);
    return this.#tree;
  }

  /** The value of the whole text as JSON with comments; undefined when it does not parse. */
  json(): unknown {
    if (this.#json === UNREAD) {
      const { node, fault } = this.markdown ? { node: undefined, fault: undefined } : this.tree();
      this.#json = node && !fault ? plainValue(node) : undefined;
    }
    return this.#json;
  }

  yaml(): unknown {
    if (this.#yaml === UNREAD) this.#yaml = yamlOf(this.text);
    return this.#yaml;
  }

  /** Parses JSON or YAML, by the file extension. */
  value(): unknown {
    return /^ya?ml$/.test(this.ending) ? this.yaml() : this.json();
  }

  /** The lines of Markdown outside code and comments. */
  lines(): readonly MdLine[] {
    this.#lines ??= markdownLines(this.text);
    return this.#lines;
  }

  /** The lines of a JSON-lines file. */
  rows(): readonly Row[] {
    this.#rows ??= rowsOf(this.text);
    return this.#rows;
  }

  /** The 1-based line of an offset. Uses a table, because a file of thousands of entries asks for each. */
  lineAt(offset: number): number {
    this.#starts ??= [0, ...[...this.text.matchAll(/\r\n?|\n/g)].map((end) => end.index + end[0].length)];
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

/** One line of a JSON-lines file. */
export interface Row {
  line: number;
  offset: number;
  text: string;
  /** Undefined where the line is not a JSON object. */
  value: Record<string, unknown> | undefined;
}

function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  let line = 0;
  for (const match of text.matchAll(/([^\r\n]*)(\r\n?|\n|$)/g)) {
    line++;
    const content = match[1] ?? '';
    if (content.trim() === '') continue;
    const value = quietly(() => JSON.parse(content) as unknown);
    rows.push({ line, offset: match.index, text: content, value: isMap(value) ? value : undefined });
  }
  return rows;
}

export const isMap = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The value of a YAML text; undefined when it does not parse. */
export const yamlOf = (text: string): unknown =>
  tooDeepAt(text) === undefined ? quietly(() => parseYaml(text, { logLevel: 'silent' }) as unknown) : undefined;

export function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const MOST_NESTED = 200;

function treeOf(text: string): { node: Node | undefined; fault?: JsonFault } {
  const errors: ParseError[] = [];
  const node = quietly(() => parseTree(text, errors, { allowTrailingComma: true }));
  const [error] = errors;
  if (error) return { node, fault: { offset: error.offset, what: printParseErrorCode(error.error) } };
  if (!node) return { node, fault: { offset: 0, what: 'ValueExpected' } };
  return { node };
}

/** The value of a node. Keeps `__proto__` as a plain key. */
export function plainValue(node: Node, depth = 0): unknown {
  if (depth > MOST_NESTED) return undefined;
  if (node.type === 'array') return (node.children ?? []).map((child) => plainValue(child, depth + 1));
  if (node.type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), plainValue(value, depth + 1)] as const] : [],
    ),
  );
}
