/** Extracts the features that duplicates share: error signature, component and symptom. */
import { conceptsOf } from './concepts.js';
import { codeIn, errorIn, errorLines } from './evidence.js';
import { readable } from './readable.js';

export interface Features {
  /** Error messages without the parts that differ between occurrences. */
  errors: ReadonlySet<string>;
  /** Functions and files of the reporter's code in a trace. */
  frames: ReadonlySet<string>;
  /** Routes, files, commands and flags that the text names. */
  places: ReadonlySet<string>;
  /** Concepts of title and text. */
  concepts: ReadonlySet<string>;
}

const MOST_ERRORS = 8;
const MOST_FRAMES = 12;
const MOST_PLACES = 20;

export function featuresOf(report: { title: string; body: string }): Features {
  const { title, said } = readable(report);
  const text = `${title}\n${said}`;
  const frames = framesOf(said);
  // Leaves out error messages: different bugs have errors with similar words.
  const prose = text
    .split('\n')
    .filter((line) => !FRAME.test(line))
    .map(withoutError)
    .join('\n');
  const code = /[45]\d\d/.exec(codeIn(said) ?? '')?.[0];
  return {
    errors: new Set([...errorLines(text, MOST_ERRORS).map(signature), ...(code === undefined ? [] : [`code ${code}`])]),
    frames,
    places: placesOf(text),
    concepts: conceptsOf(prose),
  };
}

const withoutError = (line: string): string => {
  const message = errorIn(line.slice(0, 1000));
  return message === undefined || message.length < 20 ? line : line.replace(message, () => ' ');
};

/**
 * Removes digits, addresses, quoted names and a line's trailing location, because they differ between occurrences of
 * one error.
 */
export const signature = (message: string): string =>
  message
    .replace(/^.{0,40}?(?=\b[\w.]{0,80}(?:Error|Exception)\b)/, '')
    .replace(/^(?:Uncaught |Unhandled )+/, '')
    .replace(/\s+at [\w$.]+ \(.*$/, '')
    .replace(/\s+in [\w./-]+$/, '')
    .replace(/near "[^"]*"/g, 'near ""')
    .replace(/0x[0-9a-f]+/gi, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .slice(0, 60);

const FRAME = /^\s{0,40}(?:at .{1,300}:\d+|File ".{1,300}", line \d+|#\d+ .{1,300}\(\d+\))/;
const AT =
  /\bat (?:async )?([\w$.<>]{1,80}) \(([^()\n]{1,300}?):\d+(?::\d+)?\)|\bat ([\w$./\\-]{1,200}):\d+|File "([^"\n]{1,300})", line \d+/g;
/** Frames of the platform and of packages occur in the traces of many bugs. */
const FOREIGN = /node_modules|node:|site-packages|internal\/|react-dom|\/usr\/lib|<anonymous>/;

function framesOf(text: string): Set<string> {
  const frames = new Set<string>();
  for (const [whole, name, file, bare, python] of text.slice(0, 20_000).matchAll(AT)) {
    if (frames.size >= MOST_FRAMES) break;
    if (FOREIGN.test(whole)) continue;
    if (name !== undefined) frames.add(name.toLowerCase());
    const base = (file ?? bare ?? python ?? '').split(/[/\\]/).at(-1) ?? '';
    // Each build changes the name of a bundle.
    if (base !== '' && !/-[0-9a-z]{6,}\.js$/i.test(base)) frames.add(base.toLowerCase());
  }
  return frames;
}

const PLACE =
  /(?<=^|[\s("'`])(?:\/[a-z][\w:-]*(?:\/[\w:.-]+){0,8}|--[a-z][\w-]{1,30}|[\w-]{2,60}\.(?:[jt]sx?|py|go|rs|java|rb|php|ya?ml|toml|json|sql))(?![\w/])|`([^`\n]{2,60})`/gi;

function placesOf(text: string): Set<string> {
  const places = new Set<string>();
  for (const [whole, code] of text.slice(0, 20_000).matchAll(PLACE)) {
    if (places.size >= MOST_PLACES) break;
    places.add((code ?? whole).toLowerCase().trim());
  }
  return places;
}
