/**
 * Runs a command through the program's command line, so that the screen accepts and refuses with the same messages.
 * Invariant: the command's output never reaches the terminal of the screen.
 */
import { execa } from 'execa';
import { type Context, TELLER_ENV } from '../context.js';
import { program } from '../worker-process.js';

const MINUTE = 60_000;
/**
 * A start may first have to start a server; a rollback and a sync may wait for a gate on the target. A person may leave an
 * editor open for hours.
 */
const MOST_MINUTES: Readonly<Record<string, number>> = { start: 5, run: 5, rollback: 60, sync: 60, edit: 24 * 60 };

export interface Told {
  ok: boolean;
  /** One sentence. */
  text: string;
}

export async function tell(context: Context, args: readonly string[]): Promise<Told> {
  const minutes = MOST_MINUTES[args[0] ?? ''] ?? 1;
  const { stdout, stderr, exitCode, timedOut } = await execa(
    process.execPath,
    [program(), '-C', context.cwd, ...args],
    {
      reject: false,
      stdin: 'ignore',
      timeout: minutes * MINUTE,
      env: { ...context.env, NO_COLOR: '1', [TELLER_ENV]: 'screen' },
      extendEnv: false,
    },
  );
  if (timedOut)
    return {
      ok: false,
      text: `${args[0]} took longer than ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and was ended; see: ralphctl logs`,
    };
  const text = withoutParser(saidOf(args, { stdout, stderr, ok: exitCode === 0 }), args);
  return {
    ok: exitCode === 0,
    text:
      text ||
      (exitCode === 0
        ? 'done'
        : `${args[0]} failed with exit code ${exitCode} and printed nothing. Run it in a shell: ralphctl ${args.join(' ')}`),
  };
}

/** Without warnings, which are about the run as a whole: the message line has room for one sentence. */
export function saidOf(
  [verb = '']: readonly string[],
  { stdout, stderr, ok }: { stdout: string; stderr: string; ok: boolean },
): string {
  const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);
  const isWarning = (line: string): boolean => line.startsWith('warning:');
  const oneLine = (text: string): string =>
    linesOf(text)
      .filter((line) => !isWarning(line))
      .join(' · ');
  const [first, second] = ok ? [stdout, stderr] : [stderr, stdout];
  const about = ok && OWN_WARNINGS.has(verb) ? linesOf(stderr).filter(isWarning) : [];
  return [oneLine(first) || oneLine(second), ...about].filter(Boolean).join(' · ');
}

/** Their warnings are about what the person has just done. */
const OWN_WARNINGS: ReadonlySet<string> = new Set(['enqueue']);

/** The parser of the command line words its errors for a shell. */
export function withoutParser(text: string, [verb = ''] = [] as readonly string[]): string {
  const [said = ''] = text.split(' · (see --help)');
  const read =
    /^error: (?:command-argument value|option '([^ ']+)[^']*' argument) ('.*?') is invalid(?: for argument '([^']+)')?\.\s*(.*)$/.exec(
      said,
    );
  if (read) {
    const [, option, value, argument, rest = ''] = read;
    return `${value} does not fit ${option ?? argument} of ${verb}${rest === '' ? '' : `: ${rest[0]?.toLowerCase()}${rest.slice(1)}`}`;
  }
  const bogus = /^error: unknown command '([^']*)'\.?(?: · )?(.*)$/.exec(said);
  if (bogus) return `there is no command ${bogus[1]}${bogus[2] ? ` ${bogus[2]}` : ''}; : and Tab complete the commands`;
  const error = said.replace(/^error: /, '');
  return error === said ? said.replace(/^ralphctl: /, '') : `${error}. How ${verb} is used: ralphctl ${verb} --help`;
}
