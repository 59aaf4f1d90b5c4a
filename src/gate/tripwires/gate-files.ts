/**
 * Which files are tests, and which decide what the gate checks.
 * Invariant: the base decides, so that the work cannot remove a file from the list. Reads commits only.
 */
import picomatch from 'picomatch';
import { CONFIG_FILES } from '../../config/file-names.js';
import { git } from '../../git/runner.js';
import { type Command, ownFiles } from './own-files.js';
import { differs, partOf } from './parts.js';
import { anyCase, GATE_FILES, NEW_IS_FINE, NO_TESTS, TEST_DATA, TEST_FILES } from './patterns.js';

export interface GateFilesInput {
  worktree: string;
  /** Commit. */
  base: string;
  /** The gate's commands in the configuration. */
  commands: readonly Command[];
  nextRun?: NextRun | undefined;
}

/** What the next run takes from the repository, besides its configuration file: paths, and commands that run files. */
export interface NextRun {
  files: readonly string[];
  commands: readonly Command[];
}

export interface Changed {
  path: string;
  /** The old path of a renamed file. */
  from?: string;
  added: boolean;
  deleted: boolean;
}

export interface GateFiles {
  /** Git globs of all of them. */
  globs: string[];
  isTest: (path: string) => boolean;
  /** Tests and their expected data. */
  belongsToTests: (path: string) => boolean;
  /** A file that a gate command runs, directly or through another one, and that the next run reads for nothing else. */
  isScript: (path: string) => boolean;
  isGateFile: (path: string) => boolean;
  /** Whether a change affects what the gate checks, now or in the next run. */
  steers: (change: Changed) => Promise<boolean>;
}

const isTest = picomatch(TEST_FILES, { dot: true, ignore: NO_TESTS });
const belongsToTests = picomatch([...TEST_FILES, ...TEST_DATA], { dot: true });
const mayBeNew = picomatch(NEW_IS_FINE, { dot: true });

/** A start reads the nearest one, in any folder. Some file systems find it by its name in capitals, too. */
const RUN_FILES = CONFIG_FILES.map((name) => `**/${anyCase(name)}`);
const isRunFile = picomatch(RUN_FILES, { dot: true });

/** Such a command runs what scripts of a package.json say. */
const runsPackage = (command: Command): boolean =>
  /(?:^|[\s/;&|(])(?:npm|pnpm|yarn|bun)(?:\s|$)/.test(typeof command === 'string' ? command : command.join(' '));

/** Without gate commands, only what the next run takes is a gate file. */
export async function gateFiles({ worktree, base: commit, commands, nextRun }: GateFilesInput): Promise<GateFiles> {
  const all = async (): Promise<string[]> =>
    (await git(worktree).run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit], { read: true })).split(
      '\0',
    );
  const read = (path: string): Promise<string | undefined> => readAt(worktree, commit, path);
  const base = { read, all, skip: belongsToTests };
  const { files = [], commands: others = [] } = nextRun ?? {};
  const [own, next] = await Promise.all([ownFiles(commands, base), ownFiles([], base, others)]);
  const scripts = new Set([...own.scripts, ...next.scripts, ...files]);
  const shadows = new Set([...own.shadows, ...next.shadows]);
  const packages = others.some(runsPackage) ? ['**/package.json'] : [];
  const globs = [...(commands.length > 0 ? GATE_FILES : packages), ...RUN_FILES, ...own.globs, ...next.globs];
  const isGlobbed = picomatch(globs, { dot: true });
  const isGateFile = (path: string): boolean => isGlobbed(path) || scripts.has(path);
  const steers = async (change: Changed): Promise<boolean> => {
    const { path, from = path, added, deleted } = change;
    if (added && shadows.has(path)) return true;
    if (!isGateFile(path)) return isGateFile(from);
    if (added && mayBeNew(path)) return false;
    const part = partOf(path);
    if (!part || deleted) return true;
    const [before, after] = await Promise.all([
      added ? undefined : readAt(worktree, commit, from),
      readAt(worktree, 'HEAD', path),
    ]);
    return differs(before ?? ('json' in part ? '{}' : ''), after ?? '', part);
  };
  return {
    globs: [...TEST_FILES, ...globs, ...[...scripts, ...shadows].map(literal)],
    ...{ isTest, belongsToTests, isGateFile, steers },
    isScript: (path) => own.scripts.includes(path) && ![...next.scripts, ...files].includes(path) && !isRunFile(path),
  };
}

/** Escapes the special characters of a glob. */
const literal = (path: string): string => path.replace(/[*?[\]\\]/g, '\\$&');

/** A longer file is not source text. */
const MOST_BYTES = 4 << 20;

/** The text of a file in a commit; undefined where it is missing, not text or too big. */
export async function readAt(worktree: string, commit: string, path: string): Promise<string | undefined> {
  const spec = `${commit}:${path}`;
  const size = await git(worktree).result(['cat-file', '-s', spec], { ok: [0, 128], read: true });
  if (size.code !== 0 || Number(size.stdout) > MOST_BYTES) return undefined;
  const got = await git(worktree).result(['cat-file', 'blob', spec], { ok: [0, 128], read: true });
  return got.code === 0 && !got.stdout.includes('\0') ? got.stdout : undefined;
}
