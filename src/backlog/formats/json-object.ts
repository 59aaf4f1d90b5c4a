/**
 * An object in a JSON text: its fields with their lines and problems, and the edits that set or remove one field.
 * Invariant: an edit changes that field alone. A new field copies the layout of an existing one.
 */
import type { Node } from 'jsonc-parser';
import type { Problem } from '../../config/problems.js';
import type { Edit } from './format.js';
import { isMap, plainValue, type Source } from './source.js';

export class JsonObject {
  readonly value: Record<string, unknown>;
  readonly problems: Problem[] = [];
  readonly #source: Source;
  readonly #node: Node;
  readonly #base: number;
  readonly #used = new Set<string>();
  #start: number | undefined;

  /** @param base offset in the file of the text that contains the node */
  constructor(source: Source, node: Node, base = 0) {
    const value = plainValue(node);
    this.value = isMap(value) ? value : {};
    this.#source = source;
    this.#node = node;
    this.#base = base;
  }

  /** The line of the object, or of one field. */
  line(key?: string): number {
    const offset = (key === undefined ? undefined : this.#pair(key)?.offset) ?? this.#node.offset;
    if (key !== undefined) return this.#source.lineAt(this.#base + offset);
    this.#start ??= this.#source.lineAt(this.#base + offset);
    return this.#start;
  }

  complain(key: string | undefined, message: string, fix?: string): void {
    const problem = { file: this.#source.file, line: this.line(key), message };
    this.problems.push(fix === undefined ? problem : { ...problem, fix });
  }

  has(key: string): boolean {
    return this.value[key] !== undefined && this.value[key] !== null;
  }

  /** Reads a string; a number counts as one. Any other value adds a problem. */
  text(key: string): string | undefined {
    this.#used.add(key);
    const value = this.value[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
    this.complain(key, `"${key}" must be text`);
    return undefined;
  }

  /** Reads a list of strings; one string counts as a list of one. */
  texts(key: string): string[] {
    this.#used.add(key);
    const value = this.value[key];
    if (value === undefined || value === null) return [];
    const list = Array.isArray(value) ? value : [value];
    const texts = list
      .filter((one) => typeof one === 'string' || typeof one === 'number')
      .map((one) => String(one).trim());
    if (texts.length < list.length) this.complain(key, `"${key}" must be a list of texts`);
    return [...new Set(texts.filter((one) => one !== ''))];
  }

  flag(key: string): boolean | undefined {
    this.#used.add(key);
    const value = this.value[key];
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined;
    this.complain(key, `"${key}" must be true or false`);
    return undefined;
  }

  number(key: string): number | undefined {
    this.#used.add(key);
    const value = this.value[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.complain(key, `"${key}" must be a number`);
    return undefined;
  }

  /** Reads a list of objects. */
  objects(key: string): JsonObject[] {
    this.#used.add(key);
    const list = this.#pair(key)?.children?.[1];
    if (list?.type !== 'array') return [];
    return (list.children ?? []).map((node) => new JsonObject(this.#source, node, this.#base));
  }

  /** Reads a field that holds an object. */
  object(key: string): JsonObject | undefined {
    const node = this.#pair(key)?.children?.[1];
    return node?.type === 'object' ? new JsonObject(this.#source, node, this.#base) : undefined;
  }

  /** Fields that no call has read and `without` does not name. */
  rest(...without: string[]): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(this.value).filter(
        ([key, value]) => !this.#used.has(key) && !without.includes(key) && !isEmpty(value),
      ),
    );
  }

  /** Sets an existing field in place, or inserts it after the field `after`. */
  set(key: string, value: unknown, after: string): Edit[] {
    const text = JSON.stringify(value);
    const there = this.#pair(key)?.children?.[1];
    if (there) return [{ offset: this.#base + there.offset, length: there.length, text }];
    const beside = this.#pair(after);
    const [name, old] = beside?.children ?? [];
    if (!beside || !name || !old) return [];
    const whole = this.#source.text;
    const start = this.#base + beside.offset;
    const gap = /\s*$/.exec(whole.slice(Math.max(0, start - 400), start))?.[0] ?? '';
    const colon = whole.slice(this.#base + name.offset + name.length, this.#base + old.offset);
    const put = `,${gap}${JSON.stringify(key)}${/^\s*:\s*$/.test(colon) ? colon : ': '}${text}`;
    return [{ offset: this.#base + old.offset + old.length, length: 0, text: put }];
  }

  /** Removes a field; the field must not be the first one. */
  remove(key: string): Edit[] {
    const pairs = this.#node.children ?? [];
    const at = pairs.findLastIndex((pair) => pair.children?.[0]?.value === key);
    const [pair, before] = [pairs[at], pairs[at - 1]];
    if (!pair || !before) return [];
    const offset = before.offset + before.length;
    return [{ offset: this.#base + offset, length: pair.offset + pair.length - offset, text: '' }];
  }

  #pair(key: string): Node | undefined {
    return this.#node.children?.findLast((pair) => pair.type === 'property' && pair.children?.[0]?.value === key);
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0);
