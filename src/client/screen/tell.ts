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
  const [first, second] = exitCode === 0 ? [stdout, stderr] : [stderr, stdout];
  const text = (oneLine(first) || oneLine(second)).replace(/^ralphctl: /, '');
  return {
    ok: exitCode === 0,
    text:
      text ||
      (exitCode === 0
        ? 'done'
        : `${args[0]} failed with exit code ${exitCode} and printed nothing. Run it in a shell: ralphctl ${args.join(' ')}`),
  };
}

/** Without warnings: they are about the start, and the message line has room for one sentence. */
const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('warning:'))
    .join(' · ');
