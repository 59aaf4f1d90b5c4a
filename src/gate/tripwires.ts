/**
 * Changes that can make a gate green without making the work right: tests gone or skipped, and touched files that decide
 * what the gate checks.
 * Invariant: reads commits only, so it may run beside the gate; says what changed and never why.
 */
import picomatch from 'picomatch';
import { git } from '../git/git.js';
import type { Tripwire } from '../protocol/gate.js';
import { type FileChange, parseDiff } from './diff.js';
import {
  BUILD_FILES,
  GATE_FILES,
  NO_TESTS,
  PARTLY,
  SKIPPED,
  TEST_DECLARATION,
  TEST_FILES,
} from './tripwire-patterns.js';

type Rule = 'ask' | 'warn' | 'off';

export interface TripwireInput {
  worktree: string;
  /** Commit. */
  base: string;
  rules: { deletedTests: Rule; newSkips: Rule; gateFiles: Rule };
  /** The gate's commands as the configuration has them. */
  commands: ReadonlyArray<string | readonly string[]>;
}

const MOST = 20;
const MAX_SUBJECT = 200;

/** At most twenty; those that only warn are marked. Throws `GitError`. */
export async function findTripwires(input: TripwireInput): Promise<Tripwire[]> {
  const { worktree, base, rules } = input;
  if (Object.values(rules).every((rule) => rule === 'off')) return [];
  const gateFiles = [...GATE_FILES, ...ownFiles(input.commands)];
  const globs = [...TEST_FILES, ...gateFiles].map((glob) => `:(top,glob)${glob}`);
  const flags = ['--no-ext-diff', '--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/', '-M', '-U0'];
  const text = await git(worktree).run(['diff', ...flags, base, 'HEAD', '--', ...globs], { read: true });
  const changes = parseDiff(text);
  const isTest = picomatch(TEST_FILES, { dot: true, ignore: NO_TESTS });
  const isGate = picomatch(gateFiles, { dot: true });
  const tests = changes.filter((change) => isTest(change.path));
  const found: Array<[Rule, Tripwire]> = [
    ...deletedTests(tests).map((one): [Rule, Tripwire] => [rules.deletedTests, one]),
    ...newSkips(tests).map((one): [Rule, Tripwire] => [rules.newSkips, one]),
    ...(rules.gateFiles === 'off'
      ? []
      : await touched(
          input,
          changes.filter((change) => !change.added && isGate(change.path)),
        )
    ).map((one): [Rule, Tripwire] => [rules.gateFiles, one]),
  ];
  return found
    .filter(([rule]) => rule !== 'off')
    .slice(0, MOST)
    .map(([rule, { kind, subject }]) => ({
      kind,
      subject: subject.slice(0, MAX_SUBJECT),
      ...(rule === 'warn' ? { warn: true as const } : {}),
    }));
}

/** Tests may move between files, so fewer in one file count only when there are fewer in all. */
function deletedTests(tests: readonly FileChange[]): Tripwire[] {
  const gone = tests.filter((change) => change.deleted && count(change.removed, TEST_DECLARATION) > 0);
  const lost = (change: FileChange): number =>
    count(change.removed, TEST_DECLARATION) - count(change.addedLines, TEST_DECLARATION);
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

async function touched(input: TripwireInput, changes: readonly FileChange[]): Promise<Tripwire[]> {
  const found: Tripwire[] = [];
  for (const change of changes.slice(0, MOST)) {
    const name = change.path.slice(change.path.lastIndexOf('/') + 1);
    const partly = PARTLY[name];
    if (partly && !change.deleted && (await samePart(input, change, partly))) continue;
    found.push({ kind: 'gate-file', subject: change.path });
  }
  return found;
}

async function samePart(
  { worktree, base }: TripwireInput,
  { path, from }: FileChange,
  part: NonNullable<(typeof PARTLY)[string]>,
): Promise<boolean> {
  const [before, after] = await Promise.all(
    [`${base}:${from ?? path}`, `HEAD:${path}`].map((spec) => git(worktree).run(['show', spec], { read: true })),
  );
  const cut = 'json' in part ? jsonPart : sectionPart;
  return cut(before ?? '', part as never) === cut(after ?? '', part as never);
}

function jsonPart(text: string, { json }: { json: readonly string[] }): string {
  try {
    const whole = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(json.map((key) => whole[key]));
  } catch {
    return text;
  }
}

function sectionPart(text: string, { sections }: { sections: RegExp }): string {
  let wanted = false;
  return text
    .split('\n')
    .filter((line) => {
      const head = /^\[+([^\]]+)\]/.exec(line)?.[1];
      if (head !== undefined) wanted = sections.test(head.trim());
      return wanted;
    })
    .join('\n');
}

const count = (lines: readonly string[], pattern: RegExp): number =>
  lines.reduce((total, line) => total + (pattern.test(line) ? 1 : 0), 0);

const INTERPRETERS = /^(?:sh|bash|zsh|dash|node|deno|bun|tsx|python3?|ruby|perl|php|\/bin\/sh|\/bin\/bash)$/;

/** Files that the commands run themselves, and the build files of their tools. */
function ownFiles(commands: TripwireInput['commands']): string[] {
  const found = new Set<string>();
  for (const command of commands) {
    const text = typeof command === 'string' ? command : command.join(' ');
    for (const [program, files] of BUILD_FILES) if (program.test(text)) for (const file of files) found.add(file);
    const parts = typeof command === 'string' ? command.split(/&&|\|\||[;|\n]/) : [command.join(' ')];
    for (const part of parts) {
      const words = part.trim().split(/\s+/);
      const [first = '', ...rest] = words;
      const run = INTERPRETERS.test(first) ? rest.find((word) => !word.startsWith('-')) : first;
      const path = run?.replace(/^\.\//, '').replace(/^['"]|['"]$/g, '');
      if (
        path &&
        /^[\w@.][\w@./-]*$/.test(path) &&
        (path.includes('/') || path.includes('.')) &&
        !path.startsWith('..')
      )
        found.add(path);
    }
  }
  return [...found];
}
