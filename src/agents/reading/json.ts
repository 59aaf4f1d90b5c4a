/** Reads fields of foreign JSON. Invariant: nothing here throws, whatever the shape. */
export type Json = Record<string, unknown>;

/** The object on this line; undefined when the line is anything else. */
export function parseObject(line: string): Json | undefined {
  if (!line.startsWith('{') && line.trimStart()[0] !== '{') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return objectOf(value);
  } catch {
    return undefined;
  }
}

export const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Optional where the value may be undefined; unchanged otherwise. */
type Known<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Omits undefined values: unknown is not zero. */
export const clean = <T extends object>(fields: T): Known<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<T>;

/** The table entry for a name from outside; its prototype has none. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

/** The sum of the numbers among the values; undefined when there are none. */
export function sumOf(...values: unknown[]): number | undefined {
  const numbers = values.map(numberOf).filter((value) => value !== undefined);
  return numbers.length === 0 ? undefined : numbers.reduce((total, value) => total + value, 0);
}
