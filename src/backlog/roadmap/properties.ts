/**
 * The properties of a roadmap task. Invariant: ralphctl parses or rejects a bullet that looks like a property; it never
 * turns such a bullet into text silently.
 */
import { looseName, nearest, type Problem, suggest } from '../../config/problems.js';
import { type Idea, MOST_STEPS, stepsOf } from '../../protocol/idea.js';

export interface Property {
  /** The name as written. */
  name: string;
  value: string;
  /** Entries of a nested list. */
  entries: string[];
  line: number;
}

/** The parsed properties. The caller resolves `id` and `parent`. */
export type Said = Partial<
  Pick<
    Idea,
    | 'id'
    | 'parent'
    | 'ralph'
    | 'maxIterations'
    | 'iterationTimeoutMinutes'
    | 'timeoutMinutes'
    | 'promise'
    | 'requireXml'
    | 'allowEmpty'
    | 'agent'
    | 'priority'
  >
> & { success: string[]; dependsOn: string[]; tags: string[] };

/** Strips quotes, backticks and escapes from a value. */
export function bare(value: string): string {
  const inner = /^(["'`]|\*\*)([\s\S]*)\1$/.exec(value.trim())?.[2] ?? value.trim();
  return inner.replace(/\\([!-/:-@[-`{-~])/g, '$1').trim();
}

const words = (property: Property): string[] =>
  [property.value.replace(/^\[(.*)\]$/s, '$1'), ...property.entries]
    .flatMap((text) => text.split(/[\s,]+/))
    .map((word) => bare(word).replace(/^#/, ''))
    .filter((word) => word !== '');

type Reader = (property: Property, said: Said) => string | undefined;

const flag =
  (key: 'ralph' | 'requireXml' | 'allowEmpty'): Reader =>
  ({ value }, said) => {
    const text = bare(value).toLowerCase();
    if (!/^(?:true|false|yes|no|on|off)$/.test(text)) return `must be true or false, not "${value}"`;
    said[key] = /^(?:true|yes|on)$/.test(text);
    return undefined;
  };

const minutes =
  (key: 'iterationTimeoutMinutes' | 'timeoutMinutes'): Reader =>
  ({ value }, said) => {
    const parsed = parseMinutes(bare(value));
    if (parsed === undefined)
      return `must be a duration such as 45, 60min, 1h or 90 s (at most a week), not "${value}"`;
    said[key] = parsed;
    return undefined;
  };

const word =
  (key: 'id' | 'parent' | 'agent'): Reader =>
  ({ value }, said) => {
    const text = bare(value);
    if (!/^\S+$/.test(text)) return `must be one word, not "${value}"`;
    said[key] = text;
    return undefined;
  };

const wordList =
  (key: 'dependsOn' | 'tags'): Reader =>
  (property, said) => {
    const list = words(property);
    const none = list.length === 1 && list[0]?.toLowerCase() === 'none';
    if (!none) said[key].push(...list.filter((entry) => !said[key].includes(entry)));
    return undefined;
  };

const maxIterations: Reader = ({ value }, said) => {
  const text = bare(value);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 10_000) {
    return `must be a whole number from 1 to 10000, not "${value}"`;
  }
  said.maxIterations = count;
  return undefined;
};

const priority: Reader = ({ value }, said) => {
  const text = bare(value);
  if (!/^[+-]?\d{1,3}$/.test(text) || Math.abs(Number(text)) > MOST_STEPS) {
    return `must be a whole number from -100 to 100, where 0 is normal, not "${value}"`;
  }
  said.priority = stepsOf(Number(text));
  return undefined;
};

const promise: Reader = ({ value }, said) => {
  const text = bare(bare(value).replace(/^<promise>([\s\S]*)<\/promise>$/i, '$1'));
  if (text === '') return 'must not be empty';
  said.promise = text;
  return undefined;
};

const success: Reader = ({ value, entries }, said) => {
  const list = [value, ...entries].filter((entry) => entry !== '');
  if (list.length === 0) return 'must not be empty';
  said.success.push(...list);
  return undefined;
};

interface Kind {
  read: Reader;
  /** The property may repeat and may hold a nested list. */
  many?: true;
}

const PROPERTIES: Record<string, Kind> = {
  ralph: { read: flag('ralph') },
  max_iterations: { read: maxIterations },
  completion_promise: { read: promise },
  timeout: { read: minutes('iterationTimeoutMinutes') },
  success: { read: success, many: true },
  cli: { read: word('agent') },
  depends: { read: wordList('dependsOn'), many: true },
  depends_on: { read: wordList('dependsOn'), many: true },
  tags: { read: wordList('tags'), many: true },
  priority: { read: priority },
  parent: { read: word('parent') },
  allow_empty: { read: flag('allowEmpty') },
  require_xml: { read: flag('requireXml') },
  task_timeout: { read: minutes('timeoutMinutes') },
  id: { read: word('id') },
};
const NAMES = Object.keys(PROPERTIES);
const BY_LOOSE_NAME = new Map(NAMES.map((name) => [looseName(name), name]));

const SHAPE = /^[*_`]{0,3}([A-Za-z](?:[A-Za-z0-9_ -]|\\_){0,39}?)[*_`]{0,3}\s*:[*_`]{0,3}(\s+|$|(?=\S))/;
const KEY_LIKE = /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;

/**
 * Name and value when the text looks like a property: a known name, a near miss of one, or a lower-case key.
 * `- Note: keep the API` and `- https://…` are text.
 */
export function asProperty(text: string): { name: string; value: string; known: boolean } | undefined {
  const match = SHAPE.exec(text);
  const name = match?.[1]?.replaceAll('\\', '');
  if (!match || name === undefined) return undefined;
  const value = text
    .slice(match[0].length)
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .trim();
  const known = BY_LOOSE_NAME.has(looseName(name));
  if (known) return { name, value, known };
  const spaced = match[2] !== '' || value === '';
  const meant = KEY_LIKE.test(name) || nearest(name, NAMES) !== undefined;
  return spaced && meant ? { name, value, known } : undefined;
}

/** Parses all properties of one task. Each problem has its property's line. */
export function readProperties(properties: readonly Property[], file: string): { said: Said; problems: Problem[] } {
  const said: Said = { success: [], dependsOn: [], tags: [] };
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  for (const property of properties) {
    const { name, line } = property;
    const canonical = BY_LOOSE_NAME.get(looseName(name));
    const kind = canonical === undefined ? undefined : PROPERTIES[canonical];
    if (canonical === undefined || !kind) {
      const fix = `${suggest(name, NAMES) ?? ''} (if this is text, start it with a capital letter)`;
      problems.push({ file, line, message: `unknown property "${name}"`, fix: fix.trim() });
      continue;
    }
    const first = seen.get(canonical);
    if (first !== undefined && !kind.many) {
      problems.push({
        file,
        line,
        message: `property "${name}" already exists on line ${first}`,
        fix: 'keep one of them',
      });
      continue;
    }
    seen.set(canonical, line);
    const wrong = property.entries.length > 0 && !kind.many ? 'takes one value, not a list' : kind.read(property, said);
    if (wrong !== undefined) problems.push({ file, line, message: `property "${name}" ${wrong}` });
  }
  return { said, problems };
}

/** Durations as people write them. Imports nothing. */
const UNIT: Record<string, number> = { s: 1 / 60, m: 1, h: 60, d: 1440 };
const PART = /(\d+(?:\.\d+)?)\s*(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\s*/gy;

/**
 * Parses `45`, `60min`, `90 s` or `1h30m` into minutes; undefined for other texts, for zero and for more than a week.
 */
export function parseMinutes(text: string): number | undefined {
  const value = text.trim().toLowerCase();
  let minutes = 0;
  if (/^\d+(?:\.\d+)?$/.test(value)) minutes = Number(value);
  else {
    PART.lastIndex = 0;
    let end = 0;
    for (let part = PART.exec(value); part; part = PART.exec(value)) {
      minutes += Number(part[1]) * (UNIT[part[2]?.charAt(0) ?? ''] ?? 0);
      end = PART.lastIndex;
    }
    if (end !== value.length) return undefined;
  }
  return minutes > 0 && minutes <= 10_080 ? minutes : undefined;
}
