/**
 * Finds paths of the user's checkout that an agent named in an action, in its output.
 * Invariant: paths that it only read or saw do not count. Memory stays bounded for any output.
 */
import { basename, relative } from 'node:path';
import { linesOf } from '../../git/regular.js';

export interface Mention {
  /** Absolute, without a trailing slash. */
  path: string;
  /** Its context: a command, or the path alone. */
  text: string;
}

const MOST = 5000;
const LONGEST_LINE = 1 << 20;
const LONGEST_TEXT = 4000;

/** Keys that agent CLIs use for the input of a tool. */
const DOING =
  /^(?:file_?path|path|notebook_path|absolute_path|command|cmd|script|code|patch|diff|changes|arguments|input)$/i;
const READING =
  /^(?:read|read_?file|view|grep|glob|ls|list|list_?directory|search.*|notebookread|webfetch|websearch)$/i;

/** Mentions of paths below `root`, outside its git directory and outside the absolute folders in `except`. */
export async function findMentions(file: string, root: string, except: readonly string[]): Promise<Mention[]> {
  const found: Mention[] = [];
  for await (const line of linesOf(file)) {
    if (line.length > LONGEST_LINE || !line.includes(root)) continue;
    for (const text of doings(line)) collect(found, text, root, except);
    if (found.length >= MOST) break;
  }
  return found;
}

/** The agent's actions in a line. An event gives its commands and paths; any other line stays unchanged. */
function doings(line: string): string[] {
  if (!line.startsWith('{')) return [line];
  try {
    const texts: string[] = [];
    walk(JSON.parse(line), false, texts, 0);
    return texts;
  } catch {
    return [line];
  }
}

function walk(value: unknown, doing: boolean, texts: string[], depth: number): void {
  if (depth > 12 || value === null) return;
  if (typeof value === 'string') {
    if (doing) texts.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const one of value) walk(one, doing, texts, depth + 1);
    return;
  }
  if (typeof value !== 'object') return;
  const entries = Object.entries(value);
  const name = entries.find(([key, one]) => (key === 'name' || key === 'tool') && typeof one === 'string')?.[1];
  if (typeof name === 'string' && READING.test(name)) return;
  for (const [key, one] of entries) {
    // Tool results and file contents may name any path.
    if (/^tool_?use_?result$/i.test(key)) continue;
    if (/^(?:content|old_string|new_string|aggregated_output|output|result)$/.test(key) && typeof one === 'string')
      continue;
    walk(one, DOING.test(key) || (doing && typeof one !== 'string'), texts, depth + 1);
  }
}

function collect(found: Mention[], text: string, root: string, except: readonly string[]): void {
  for (let at = text.indexOf(root); at >= 0 && found.length < MOST; at = text.indexOf(root, at + 1)) {
    const rest = /^[^\s"'`\\,;:()<>|&*?[\]{}$]*/.exec(text.slice(at + root.length))?.[0] ?? '';
    if (rest !== '' && !rest.startsWith('/')) continue;
    const path = (root + rest).replace(/\/+$/, '');
    if (path === `${root}/.git` || path.startsWith(`${root}/.git/`)) continue;
    if (except.some((folder) => path === folder || path.startsWith(`${folder}/`))) continue;
    found.push({ path, text: text.slice(Math.max(0, at - LONGEST_TEXT / 2), at + LONGEST_TEXT / 2) });
  }
}

/** The agent's actions that name one of the words, at most a thousand per word. */
export async function textsWith(file: string, words: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (words.length === 0) return found;
  for await (const line of linesOf(file)) {
    if (line.length > LONGEST_LINE) continue;
    const named = words.filter((word) => line.includes(word));
    if (named.length === 0) continue;
    const texts = doings(line);
    for (const word of named) {
      const before = found.get(word) ?? [];
      const more = texts.filter((text) => text.includes(word)).map((text) => around(text, word));
      if (before.length < 1000) found.set(word, [...before, ...more]);
    }
  }
  return found;
}

function around(text: string, word: string): string {
  const at = text.indexOf(word);
  return text.slice(Math.max(0, at - LONGEST_TEXT / 2), at + LONGEST_TEXT / 2);
}

/** Commands that change files. */
export const CHANGES = /\b(?:cp|mv|rm|rsync|tar|unzip|install|ln|touch|tee|sed|patch|git|perl|python3?|node)\b|>/;

/** Whether the mentions prove that the agent worked on this file. */
export function isMentioned(file: string, mentions: readonly Mention[]): boolean {
  return mentions.some(({ path, text }) => {
    if (file === path) return true;
    if (!file.startsWith(`${path}/`)) return false;
    const name = relative(path, file);
    return text.includes(name) || (CHANGES.test(text) && text.includes(basename(file)));
  });
}
