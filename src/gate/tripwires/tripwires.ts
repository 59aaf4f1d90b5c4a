/**
 * Changes that can make a gate green without making the work right: removed or skipped tests, and changed files that
 * decide what the gate checks.
 * Invariant: reads commits only, so it may run beside the gate. It reports changes, never reasons.
 */
import { git } from '../../git/runner.js';
import type { Tripwire } from '../../protocol/gate.js';
import { type GateFiles, type GateFilesInput, gateFiles, readAt } from './gate-files.js';
import { COMMENT, SKIPPED, SKIPPED_DECLARATION, TEST_DECLARATION, TEST_NAMES } from './patterns.js';

export type Rule = 'ask' | 'warn' | 'off';
export interface Rules {
  deletedTests: Rule;
  newSkips: Rule;
  gateFiles: Rule;
}

export interface TripwireInput extends GateFilesInput {
  rules: Rules;
}

const MOST = 20;
const MAX_SUBJECT = 200;
/** Files without lines in a diff that are read one by one. */
const MOST_READ = 50;

/** Without a gate, nobody runs the tests. The files of the next run may bring it one that passes everything. */
const NOTHING: Rules = { deletedTests: 'off', newSkips: 'off', gateFiles: 'off' };

/** At most twenty; those that only warn are marked. Throws `GitError`. */
export async function findTripwires(input: TripwireInput): Promise<Tripwire[]> {
  const { worktree, base } = input;
  const rules = input.commands.length > 0 ? input.rules : { ...NOTHING, gateFiles: input.rules.gateFiles };
  if (Object.values(rules).every((rule) => rule === 'off')) return [];
  const files = await gateFiles(input);
  const globs = files.globs.map((glob) => `:(top,glob)${glob}`);
  const flags = ['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/', '-M', '-U0'];
  const text = await git(worktree).run(['diff', ...flags, base, 'HEAD', '--', ...globs], { read: true });
  const changes = parseDiff(text);
  await readHidden(input, files, changes);
  const tests = changes.filter((change) => files.isTest(change.path));
  return chosen([
    ...withRule(rules.deletedTests, deletedTests(tests)),
    ...withRule(rules.newSkips, newSkips(tests)),
    ...withRule(rules.gateFiles, rules.gateFiles === 'off' ? [] : await touched(files, changes)),
  ]);
}

export const withRule = (rule: Rule, found: readonly Tripwire[]): Tripwire[] =>
  rule === 'off' ? [] : found.map((one) => (rule === 'warn' ? { ...one, warn: true as const } : one));

/** Findings that stop a landing come first; each once, with a note about omitted ones. */
export function chosen(all: readonly Tripwire[]): Tripwire[] {
  const bounded = all.map((one) => ({ ...one, subject: one.subject.slice(0, MAX_SUBJECT) }));
  const once = [...new Map(bounded.map((one) => [`${one.kind} ${one.subject}`, one])).values()];
  const ranked = [...once.filter((one) => !one.warn), ...once.filter((one) => one.warn)];
  const [first, ...rest] = ranked.slice(MOST - 1);
  if (!first || rest.length === 0) return ranked;
  return [...ranked.slice(0, MOST - 1), { ...first, subject: `${first.subject}, and ${rest.length} more like these` }];
}

/** An attribute can make git hide the lines of a test. */
async function readHidden({ worktree, base }: TripwireInput, files: GateFiles, changes: FileChange[]): Promise<void> {
  const hidden = changes.filter((change) => change.binary && files.isTest(change.path)).slice(0, MOST_READ);
  for (const change of hidden) {
    const { path, from = path, added, deleted } = change;
    if (!added) change.removed = ((await readAt(worktree, base, from)) ?? '').split('\n');
    if (!deleted) change.addedLines = ((await readAt(worktree, 'HEAD', path)) ?? '').split('\n');
  }
}

/** Tests may move between files, so fewer in one file count only when there are fewer in total. */
function deletedTests(tests: readonly FileChange[]): Tripwire[] {
  const gone = tests.filter(
    (change) => change.deleted && (TEST_NAMES.test(change.path) || count(change.removed, TEST_DECLARATION) > 0),
  );
  const lost = (change: FileChange): number =>
    count(change.removed, TEST_DECLARATION) -
    count(change.addedLines, TEST_DECLARATION) -
    Math.max(0, count(change.addedLines, SKIPPED_DECLARATION) - count(change.removed, SKIPPED_DECLARATION));
  const net = tests.reduce((total, change) => total + lost(change), 0);
  const fewer = net > 0 ? tests.filter((change) => !change.deleted && lost(change) > 0) : [];
  return [
    ...gone.map((change) => ({ kind: 'deleted-test' as const, subject: change.path })),
    ...fewer.map((change) => ({
      kind: 'deleted-test' as const,
      subject: `${change.path}: ${lost(change)} ${lost(change) === 1 ? 'test' : 'tests'} fewer`,
    })),
  ];
}

function newSkips(tests: readonly FileChange[]): Tripwire[] {
  return tests
    .filter((change) => count(change.addedLines, SKIPPED) > count(change.removed, SKIPPED))
    .map((change) => {
      const line = change.addedLines.find((text) => SKIPPED.test(text))?.trim() ?? '';
      return { kind: 'new-skip' as const, subject: `${change.path}: ${line}` };
    });
}

async function touched(files: GateFiles, changes: readonly FileChange[]): Promise<Tripwire[]> {
  const found: Tripwire[] = [];
  for (const change of changes) {
    // A test file that the gate names may grow like any other.
    const grown = files.isTest(change.path) && !change.deleted && change.removed.length === 0;
    if (grown && files.isScript(change.path)) continue;
    const { path, from = path } = change;
    if (await files.steers(change)) found.push({ kind: 'gate-file', subject: files.isGateFile(path) ? path : from });
  }
  return found;
}

const count = (lines: readonly string[], pattern: RegExp): number =>
  lines.reduce((total, line) => total + (pattern.test(line) && !COMMENT.test(line) ? 1 : 0), 0);

/* Parses `git diff -U0` (prefixes a/ and b/). Invariant: never throws; linear in the text. Pure. */

export interface FileChange {
  /** Path after the change; the old one when it was deleted. */
  path: string;
  /** The old path of a renamed file. */
  from?: string;
  added: boolean;
  deleted: boolean;
  /** git shows no lines of it, because of its content or an attribute. */
  binary?: true;
  addedLines: string[];
  removed: string[];
}

export function parseDiff(text: string): FileChange[] {
  const changes: FileChange[] = [];
  let current: FileChange | undefined;
  let inHunk = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('diff --git ')) {
      current = { path: fallbackPath(line), added: false, deleted: false, addedLines: [], removed: [] };
      changes.push(current);
      inHunk = false;
    } else if (!current) continue;
    else if (line.startsWith('@@')) inHunk = true;
    else if (inHunk && line.startsWith('+')) current.addedLines.push(line.slice(1));
    else if (inHunk && line.startsWith('-')) current.removed.push(line.slice(1));
    else if (!inHunk) header(current, line);
  }
  return changes;
}

function header(change: FileChange, line: string): void {
  if (line.startsWith('new file mode')) change.added = true;
  else if (line.startsWith('deleted file mode')) change.deleted = true;
  else if (line.startsWith('Binary files ')) change.binary = true;
  else if (line.startsWith('rename from ')) change.from = unquote(line.slice(12));
  else if (line.startsWith('rename to ')) change.path = unquote(line.slice(10));
  else if (line.startsWith('--- ') && change.deleted) change.path = side(line.slice(4)) ?? change.path;
  else if (line.startsWith('+++ ')) change.path = side(line.slice(4)) ?? change.path;
}

function side(text: string): string | undefined {
  const path = unquote(text.replace(/\t$/, ''));
  return path === '/dev/null' ? undefined : path.slice(2);
}

/** Of a change without lines (mode, binary, empty file): both sides have the same name. */
function fallbackPath(line: string): string {
  const rest = line.slice('diff --git '.length);
  if (rest.startsWith('"')) return unquote(rest.slice(0, rest.indexOf('" ') + 1)).slice(2);
  return rest.slice(2, (rest.length - 1) / 2);
}

const unquote = (text: string): string =>
  text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
