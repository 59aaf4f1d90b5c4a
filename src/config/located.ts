/**
 * Reads YAML or JSON into a value with the line of every part. The JSON parser reads JSON; the YAML parser only finds
 * the positions in it, because JSON is a subset of YAML.
 * Must not import anything of ours but the problem type and the depth.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { tooDeepAt } from './depth.js';
import type { Problem } from './problems.js';

export type Path = readonly PropertyKey[];

export interface Located {
  value: unknown;
  /** Line of the key or list item at the path, or of the deepest part of the path that exists. */
  lineOf(path: Path): number;
  /** The scalar as it was written, e.g. `007`. */
  sourceOf(path: Path): string | undefined;
}

export type Syntax = 'yaml' | 'json';
export const syntaxOf = (file: string): Syntax => (/\.json$/i.test(file) ? 'json' : 'yaml');

/** Entries without a value count as absent: every line under the key may be commented out. */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, dropNulls(inner)] as const])),
  );
}

/** Line of the first text with a NUL character. No path, argument or variable may contain one. */
function nulPath(value: unknown, path: readonly (string | number)[] = []): readonly (string | number)[] | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined;
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = nulPath(inner, [...path, key]) ?? (String(key).includes('\0') ? path : undefined);
    if (found) return found;
  }
  return undefined;
}

const firstLine = (error: unknown): string => {
  if (error instanceof RangeError) return 'nested too deeply';
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
};

/** Reads the text. Each syntax error becomes a problem. Never throws. */
export function readLocated(raw: string, file: string, syntax: Syntax): { located: Located } | { problems: Problem[] } {
  const text = raw.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const fail = (line: number, message: string, fix?: string) => ({
    problems: [{ file, line, message, ...(fix === undefined ? {} : { fix }) }],
  });
  try {
    if (syntax === 'json') {
      const at = jsonErrorOffset(text);
      if (at !== undefined) {
        const line = text.slice(0, at).split(/\r\n?|\n/).length;
        const found = at >= text.length ? 'the file ends too early' : `unexpected ${JSON.stringify(text[at])}`;
        return fail(line, `not valid JSON: ${found}`, 'JSON has no comments and no trailing commas');
      }
    }
    const deep = tooDeepAt(text);
    if (deep !== undefined) return fail(deep, 'cannot be read: nested too deeply');
    const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, logLevel: 'silent' });
    if (doc.errors.length > 0 && (syntax === 'yaml' || doc.errors.some((e) => e.code === 'DUPLICATE_KEY'))) {
      const what = (code: string, message: string) =>
        code === 'DUPLICATE_KEY' ? 'this key appears twice' : `not valid YAML: ${message.split('\n')[0]}`;
      return {
        problems: doc.errors.map((e) => ({ file, line: lineAt(e.pos[0]), message: what(e.code, e.message) })),
      };
    }
    const value = dropNulls(syntax === 'json' ? JSON.parse(text) : doc.toJS());
    const walk = (path: Path): { line: number; node: Node | null | undefined; whole: boolean } => {
      let node: unknown = doc.contents;
      let offset = doc.contents?.range?.[0] ?? 0;
      for (const step of path) {
        if (isAlias(node)) node = node.resolve(doc);
        if (isMap(node)) {
          const pair = node.items.find((p) => isScalar(p.key) && String(p.key.value) === String(step));
          if (!pair) return { line: lineAt(offset), node: undefined, whole: false };
          offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
          node = pair.value;
        } else if (isSeq(node) && typeof step === 'number' && node.items[step]) {
          node = node.items[step];
          offset = (node as Node).range?.[0] ?? offset;
        } else return { line: lineAt(offset), node: undefined, whole: false };
      }
      return { line: lineAt(offset), node: node as Node | null, whole: true };
    };
    const nul = nulPath(value);
    if (nul) {
      const where = nul.length > 0 ? ` in ${nul.map((step) => JSON.stringify(step)).join('.')}` : '';
      return fail(Math.max(1, walk(nul).line), `a NUL character is not allowed${where}`, 'remove it');
    }
    return {
      located: {
        value,
        lineOf: (path) => Math.max(1, walk(path).line),
        sourceOf: (path) => {
          const { node } = walk(path);
          return isScalar(node) ? node.source : undefined;
        },
      },
    };
  } catch (error) {
    return fail(1, `cannot be read: ${firstLine(error)}`);
  }
}

/**
 * Finds the place where a text stops being JSON. V8's message has no position for most mistakes, and people need a line.
 * Must not import anything.
 */
const STRING = /"(?:(?!\p{Cc})[^"\\]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
const BLANK = /[ \t\r\n]*/y;

type Expect = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/** Offset of the first character that no JSON text could have there, or undefined for valid JSON. */
export function jsonErrorOffset(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let at = 0;
  let expect: Expect = 'value';
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const after = (): Expect => (open.length > 0 ? 'comma-or-end' : 'nothing');
  for (;;) {
    take(BLANK);
    if (at >= text.length) return expect === 'nothing' ? undefined : at;
    const c = text[at];
    const closes = expect === 'value-or-end' || expect === 'key-or-end' || expect === 'comma-or-end';
    if (closes && c === (open.at(-1) === '{' ? '}' : ']')) {
      at++;
      open.pop();
      expect = after();
    } else if (expect === 'value' || expect === 'value-or-end') {
      if (c === '{' || c === '[') {
        at++;
        open.push(c);
        expect = c === '{' ? 'key-or-end' : 'value-or-end';
      } else if (take(STRING) || take(SCALAR)) expect = after();
      else return at;
    } else if (expect === 'key' || expect === 'key-or-end') {
      if (!take(STRING)) return at;
      expect = 'colon';
    } else if (expect === 'colon' && c === ':') {
      at++;
      expect = 'value';
    } else if (expect === 'comma-or-end' && c === ',') {
      at++;
      expect = open.at(-1) === '{' ? 'key' : 'value';
    } else return at;
  }
}
