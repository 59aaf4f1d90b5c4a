/**
 * Explains zod's issues to the person who wrote the file, each with its line and, for an unknown key, the nearest known
 * one. The known keys come from the JSON Schema of the same zod schema, so the two cannot disagree.
 */
import { type core, z } from 'zod';
import type { Located, Path } from './located.js';
import { nearest, type Problem, suggest } from './problems.js';
import { configSchema } from './schema/config.js';

export type JsonSchema = core.JSONSchema.BaseSchema;
type Issue = core.$ZodIssue;

/** `agents.claude.args[0]`. */
const renderPath = (path: Path): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}${text ? '.' : ''}${String(step)}`),
    '',
  );

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
};

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of keys';
  if (typeof value === 'string')
    return `text (${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)})`;
  return String(value);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, step) =>
      inner !== null && typeof inner === 'object' ? (inner as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  );

/** Keys that a map may have at this path, in any alternative of the schema. */
function knownKeys(root: JsonSchema, path: Path): string[] {
  const resolve = (schema: JsonSchema): JsonSchema[] => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.replace(/^#(?:\/\$defs\/)?/, '');
      const target = name === '' ? root : root.$defs?.[name];
      return target ? resolve(target) : [];
    }
    return [schema, ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((s) => resolve(s as JsonSchema))];
  };
  let here = resolve(root);
  for (const step of path) {
    here = here.flatMap((schema) => {
      const inner =
        typeof step === 'number' ? schema.items : (schema.properties?.[String(step)] ?? schema.additionalProperties);
      return inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? resolve(inner as JsonSchema) : [];
    });
  }
  return [...new Set(here.flatMap((schema) => Object.keys(schema.properties ?? {})))].filter(
    (key) => key !== '$schema',
  );
}

/** The value as a whole is of the wrong type. */
const mismatch = (issue: Issue): boolean =>
  issue.path.length === 0 &&
  (issue.code === 'invalid_type' || (issue.code === 'invalid_union' && issue.errors.every((e) => e.some(mismatch))));

/** A fixed word beside other types, such as `never` beside numbers. Alone it would be told as the only value. */
const isWord = (issue: Issue): boolean => issue.path.length === 0 && issue.code === 'invalid_value';

/** The alternative of a union that fits the value best: the right type at the top, then the fewest issues. */
function meant(alternatives: readonly Issue[][], value: unknown): Issue[] | undefined {
  const fits = alternatives.filter((issues) => !issues.some(mismatch) && !issues.some(isWord));
  if (fits.length === 0 || value === null || typeof value !== 'object') return fits.length === 1 ? fits[0] : undefined;
  return [...fits].sort((a, b) => a.length - b.length)[0];
}

/** The types that a union takes at its top, in words. */
const typesWanted = (issue: Issue): string[] => {
  if (issue.code === 'invalid_type') return [KINDS[issue.expected] ?? issue.expected];
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value));
  if (issue.code !== 'invalid_union') return [];
  return issue.errors.flatMap((issues) => issues.filter((i) => i.path.length === 0).flatMap(typesWanted));
};

interface Source {
  file: string;
  located: Located;
  schema: () => JsonSchema;
  /** The value as a whole in messages. Default: the file. */
  whole?: string;
}

/** Of zod's own words for a time, "Invalid ISO datetime", nobody learns what to write. */
export const isoTime = (): z.ZodISODateTime =>
  z.iso.datetime({ offset: true, error: 'must be a time such as 2026-06-01T10:00:00Z' });

export function zodProblems(issues: readonly Issue[], source: Source): Problem[] {
  const { file, located } = source;
  return issues.flatMap((issue): Problem[] => {
    const { path } = issue;
    const where = path.length > 0 ? renderPath(path) : (source.whole ?? 'the file');
    const value = at(located.value, path);
    const one = (message: string, fix?: string, line = located.lineOf(path)): Problem[] => [
      { file, line, message: `${where} ${message}`, ...(fix === undefined ? {} : { fix }) },
    ];
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => {
          const fix = suggest(key, knownKeys(source.schema(), path));
          const inside = path.length > 0 ? ` in ${renderPath(path)}` : '';
          const line = located.lineOf([...path, key]);
          return { file, line, message: `unknown key "${key}"${inside}`, ...(fix === undefined ? {} : { fix }) };
        });
      case 'invalid_type': {
        if (value === undefined) return one('is missing');
        const expected = KINDS[issue.expected] ?? issue.expected;
        const written = located.sourceOf(path);
        const quote = issue.expected === 'string' && typeof value !== 'object' && written !== undefined;
        return one(`must be ${expected}, not ${kindOf(value)}`, quote ? `put it in quotes: "${written}"` : undefined);
      }
      case 'too_small':
      case 'too_big': {
        const small = issue.code === 'too_small';
        const limit = small ? issue.minimum : issue.maximum;
        if (issue.origin === 'string' || issue.origin === 'array') {
          if (small) return one('must not be empty');
          return one(`must have at most ${limit} ${issue.origin === 'string' ? 'characters' : 'entries'}`);
        }
        const bound = `${issue.inclusive ? '' : small ? 'more than ' : 'less than '}${limit}`;
        return one(
          `must be ${issue.inclusive ? (small ? 'at least ' : 'at most ') : ''}${bound}, not ${String(value)}`,
        );
      }
      case 'invalid_value': {
        if (value === undefined) return one('is missing');
        const near = typeof value === 'string' ? nearest(value, issue.values.map(String)) : undefined;
        const known = issue.values.map((v) => JSON.stringify(v)).join(', ');
        const several = issue.values.length > 1 ? 'one of ' : '';
        return one(`must be ${several}${known}, not ${JSON.stringify(value)}`, near && `did you mean "${near}"?`);
      }
      case 'invalid_union': {
        if (value === undefined) return one('is missing');
        const best = meant(issue.errors, value);
        if (best)
          return zodProblems(
            best.map((inner) => ({ ...inner, path: [...path, ...inner.path] })),
            source,
          );
        const kinds = typesWanted(issue);
        return one(`must be ${[...new Set(kinds)].join(' or ') || 'something else'}, not ${kindOf(value)}`);
      }
      case 'invalid_key':
        return one(issue.issues[0]?.message ?? 'is not a usable name');
      default:
        return one(issue.message);
    }
  });
}

/*
 * JSON Schema of a zod schema's input side, for editors and for naming known keys in error messages.
 */

/** JSON Schema (2020-12) of what a person may write. */
export const inputSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });

let cached: JsonSchema | undefined;
export function configJsonSchema(): JsonSchema {
  cached ??= { ...inputSchema(configSchema), title: 'ralphctl configuration' };
  return cached;
}
