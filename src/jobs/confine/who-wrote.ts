/**
 * Who of several made a change that the wall restored: by git's traces, which name the command and its git directory,
 * else by what their outputs speak of.
 * Invariant: a trace proves more than words. Where neither tells, nobody is named: a plain write leaves no trace, so the
 * lack of one clears nobody. Reads only.
 */
import { dirname, join } from 'node:path';
import { readTrace, TRACE_FILE, type TracedCommand } from '../../git/confinement/trace.js';
import type { Wall } from '../../git/confinement/wall.js';
import type { Breach, Section } from '../../git/confinement/wall-sections.js';
import { canonical } from '../../git/worktrees/list.js';
import { literal } from '../../protocol/pattern.js';
import { CHANGES, textsWith } from './mentions.js';

/**
 * Names of the sections; empty where nobody knows. A single suspect needs no proof, except for an index: people remove
 * and break theirs, too.
 */
export async function whoWrote(wall: Wall, breach: Breach): Promise<string[]> {
  const { suspects } = breach;
  if (suspects.length < 2 && !breach.changes.some(({ index }) => index)) return suspects.map(({ name }) => name);
  const proven = await chosen(suspects, (suspect) => hasTraceOf(wall, suspect, breach));
  return proven.length > 0 ? proven : chosen(suspects, (suspect) => speaksOf(suspect, breach));
}

async function chosen(suspects: readonly Section[], is: (one: Section) => Promise<boolean>): Promise<string[]> {
  const found = await Promise.all(suspects.map(async (one) => ((await is(one)) ? [one.name] : [])));
  return found.flat();
}

async function speaksOf({ outputFile }: Section, { changes }: Breach): Promise<boolean> {
  if (outputFile === undefined) return false;
  const names = changes.map(({ file }) => file.slice(Math.max(file.indexOf('.git/'), 0)));
  if (changes.every(({ index }) => index)) {
    // Its lock is named by whoever meets one.
    const itself = names.map((name) => new RegExp(`${literal(name)}(?![\\w.-])`));
    const texts = [...(await textsWith(outputFile, names)).values()].flat();
    // The whole path alone is the input of a tool that writes; what agents read does not count.
    const whole = changes.map(({ file }) => file);
    return texts.some(
      (text) => whole.includes(text.trim()) || (itself.some((name) => name.test(text)) && changesFiles(text)),
    );
  }
  return (await textsWith(outputFile, ['git config', 'git replace', ...names])).size > 0;
}

/** The path of an index has "git" in it, and git itself breaks none. */
const changesFiles = (text: string): boolean =>
  CHANGES.test(text.replace(/\bgit\b/g, ' ').replace(/\d*>+ *(?:&\d|\/dev\/null\b)/g, ' '));

async function hasTraceOf(wall: Wall, { outputFile }: Section, { at, after = 0, changes }: Breach): Promise<boolean> {
  if (outputFile === undefined) return false;
  const keys = changes.flatMap((change) => change.keys ?? []).map((key) => key.toLowerCase());
  const replaces = changes.some(({ file }) => file.startsWith(join(wall.commonDir, 'refs', 'replace')));
  if (keys.length === 0 && !replaces) return false;
  // What a command before the change before this one did is restored since then.
  const then = (await readTrace(join(dirname(outputFile), TRACE_FILE))).filter(
    (one) => one.ok && one.from <= at && one.to >= after,
  );
  const writers = then.filter(
    (one) => (replaces && one.name === 'replace') || keys.some((key) => writesSetting(one, key)),
  );
  const here = [wall.commonDir, wall.root, ...wall.linked];
  const folders = [...new Set([...here, ...(await Promise.all(here.map(canonical)))])];
  for (const one of writers) if (await isBelow(one.gitDir ?? one.worktree, folders)) return true;
  return false;
}

async function isBelow(dir: string | undefined, folders: readonly string[]): Promise<boolean> {
  if (dir === undefined) return false;
  const real = await canonical(dir);
  return folders.some((folder) => real === folder || real.startsWith(`${folder}/`));
}

/** What git sets by itself when it makes a checkout sparse, or gives a worktree settings of its own. */
const OF_WORKTREES =
  /^(?:core\.(?:sparsecheckout|sparsecheckoutcone|repositoryformatversion|bare|worktree)|extensions\.worktreeconfig|index\.sparse)$/;
const OF_REPOSITORY = /^(?:core|extensions|init)\./;

/** Settings that commands other than `config` write. */
const WRITERS: Readonly<Record<string, RegExp>> = {
  'sparse-checkout': OF_WORKTREES,
  worktree: OF_WORKTREES,
  init: OF_REPOSITORY,
  remote: /^(?:remote|branch)\./,
  submodule: /^submodule\./,
  maintenance: /^(?:maintenance|gc)\./,
  lfs: /^(?:lfs|filter\.lfs|core\.hookspath)\b/,
  branch: /^branch\./,
};
/** It reads, or writes another file. */
const NOT_THERE = /^(?:--get(?:-.*)?|--list|-l|-f|--file(?:=.*)?|--global|--system|--blob(?:=.*)?)$/;
const EDITS = /^(?:-e|--edit|edit)$/;

/** @param key in lower case */
function writesSetting({ name, argv }: TracedCommand, key: string): boolean {
  if (name !== 'config') return WRITERS[name]?.test(key) === true;
  const args = argv.slice(argv.indexOf('config') + 1);
  if (args.some((arg) => NOT_THERE.test(arg))) return false;
  const [verb = '', ...rest] = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.toLowerCase());
  if (EDITS.test(verb) || args.some((arg) => EDITS.test(arg))) return true;
  if (verb === 'get' || verb === 'list') return false;
  const isVerb = /^(?:set|unset|rename-section|remove-section)$/.test(verb);
  const words = isVerb ? rest : [verb, ...rest];
  if (isVerb || args.some((arg) => /^--(?:unset|rename|remove)/.test(arg)))
    return words.some((word) => word === key || key.startsWith(`${word}.`));
  // Without a value it reads.
  return words.length > 1 && words[0] === key;
}
