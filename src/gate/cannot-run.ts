/**
 * A gate command whose program is missing: nothing was checked, which is neither a failure of the work nor a red base.
 * Gate, baseline and `doctor` all ask here.
 * Invariant: pure; must import types only.
 */
import type { RunResult } from '../process/run.js';

/** Exit code of shells, and of npm and others behind them, for a missing program. */
const NOT_FOUND = 127;

/** Messages of shells, `env` and make; group 1 is the program. */
const NAMED: readonly RegExp[] = [
  /(?:^|: )([^\s:]+): (?:command )?not found$/gm,
  /command not found: (\S+)$/gm,
  /^(?:env|g?make(?:\[\d+\])?): [‘'"]?([^\s’'":]+)[’'"]?: No such file or directory$/gm,
];
/** make exits with 2 and names the exit code that it got. */
const MAKE = /^g?make(?:\[\d+\])?: \*\*\* .*\bError 127\b/m;
const MAX_NAME = 120;

type Ended = Pick<RunResult, 'exitCode' | 'launchCode'>;

/** The missing program, or the whole command where the output names none; undefined for any other failure. */
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

/** One sentence with the problem, one with its fix. */
export function cannotRunText(program: string, { run, copy }: Setup): string {
  const what = `${program}: command not found in a fresh worktree`;
  if (run && run.length > 0) {
    const command = typeof run === 'string' ? run : run.join(' ');
    return `${what}, although its set-up ran (${command}). Let setup.run in ralphctl.yaml install it.`;
  }
  const none = copy.length > 0 ? 'set-up only copies files' : 'no set-up is configured';
  return `${what}: ${none}. Put the command that installs it into setup.run of ralphctl.yaml (ralphctl init --dry-run proposes one).`;
}
