/**
 * A gate command whose program is not there: nothing was checked, which is neither a failure of the work nor a base that
 * was red. Gate, baseline and `doctor` all ask here.
 * Invariant: pure; must import types only.
 */
import type { RunResult } from '../process/run.js';

/** What a shell, and npm and others behind it, end with when they find no program of that name. */
const NOT_FOUND = 127;

/** How shells, `env` and make name it; group 1 is the program. */
const NAMED: readonly RegExp[] = [
  /(?:^|: )([^\s:]+): (?:command )?not found$/gm,
  /command not found: (\S+)$/gm,
  /^(?:env|g?make(?:\[\d+\])?): [‘'"]?([^\s’'":]+)[’'"]?: No such file or directory$/gm,
];
/** make ends with 2, and says which exit code it met. */
const MAKE = /^g?make(?:\[\d+\])?: \*\*\* .*\bError 127\b/m;
const MAX_NAME = 120;

type Ended = Pick<RunResult, 'exitCode' | 'launchCode'>;

/** The program that was not found, or the whole command where nothing names it; undefined when it is something else. */
export function missingProgram(ended: Ended, text: string, argv: readonly string[]): string | undefined {
  if (ended.launchCode === 'ENOENT') return argv[0]?.slice(0, MAX_NAME);
  if (ended.exitCode !== NOT_FOUND && !(ended.exitCode === 2 && MAKE.test(text))) return undefined;
  for (const form of NAMED) {
    const last = [...text.matchAll(form)].at(-1)?.[1];
    if (last) return last.slice(0, MAX_NAME);
  }
  return argv.at(-1)?.slice(0, MAX_NAME) ?? '';
}

interface Setup {
  run?: string | readonly string[] | undefined;
  copy: readonly string[];
}

/** One sentence of what happened, one of what mends it. */
export function cannotRunText(program: string, { run, copy }: Setup): string {
  const what = `${program}: command not found in a fresh worktree`;
  if (run && run.length > 0) {
    const command = typeof run === 'string' ? run : run.join(' ');
    return `${what}, although its set-up ran (${command}). Let setup.run in ralphctl.yaml install it.`;
  }
  const none = copy.length > 0 ? 'set-up only copies files' : 'no set-up is configured';
  return `${what}: ${none}. Put the command that installs it into setup.run of ralphctl.yaml (ralphctl init --dry-run proposes one).`;
}
