/**
 * Reading the trailers that landing leaves, from raw messages: what a user's settings for trailers, searching, comments or
 * encodings say changes nothing. Parsing is pure.
 */
import { IDEA_TRAILER, REVERTED_TRAILER } from './message.js';

/** For every `git log` whose result decides something. */
export const PINNED_LOG: readonly string[] = [
  'grep.patternType=basic',
  'grep.extendedRegexp=false',
  'i18n.logOutputEncoding=UTF-8',
  'log.follow=false',
  'log.showRoot=true',
];

/** Ideas that a commit message names in its last paragraph. */
export interface Named {
  landed: string[];
  reverted: string[];
}

export function namedIdeas(message: string): Named {
  const lines = message.replaceAll('\r', '').trimEnd().split('\n');
  const start = lines.findLastIndex((line) => line.trim() === '');
  // A message of one paragraph is all subject.
  const block = start < 0 ? [] : lines.slice(start + 1);
  return { landed: valuesOf(block, IDEA_TRAILER), reverted: valuesOf(block, REVERTED_TRAILER) };
}

function valuesOf(block: readonly string[], key: string): string[] {
  const prefix = `${key.toLowerCase()}:`;
  return block
    .filter((line) => line.toLowerCase().startsWith(prefix))
    .map((line) => line.slice(prefix.length).trim())
    .filter(Boolean);
}
