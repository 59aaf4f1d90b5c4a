/**
 * Runs a command through the program's command line, so that the screen accepts and refuses with the same messages.
 * Invariant: the command's output never reaches the terminal of the screen.
 */
import { execa } from 'execa';
import { type Context, TELLER_ENV } from '../context.js';
import { program } from '../worker-process.js';

const MOST_MS = 60_000;
/** `start` may first have to start a server. */
const MOST_START_MS = 300_000;

export interface Told {
  ok: boolean;
  /** One sentence. */
  text: string;
}

export async function tell(context: Context, args: readonly string[]): Promise<Told> {
  const { stdout, stderr, exitCode, timedOut } = await execa(
    process.execPath,
    [program(), '-C', context.cwd, ...args],
    {
      reject: false,
      stdin: 'ignore',
      timeout: args[0] === 'start' ? MOST_START_MS : MOST_MS,
      env: { ...context.env, NO_COLOR: '1', [TELLER_ENV]: 'screen' },
      extendEnv: false,
    },
  );
  if (timedOut)
    return {
      ok: false,
      text: `${args[0]} took longer than ${args[0] === 'start' ? 'five minutes' : 'a minute'}; see: ralphctl logs`,
    };
  const said = (exitCode === 0 ? stdout || stderr : stderr || stdout).split('\n').map((line) => line.trim());
  const lines = said.filter((line) => line !== '' && !line.startsWith('warning:'));
  const text = lines.join(' · ').replace(/^ralphctl: /, '');
  return {
    ok: exitCode === 0,
    text:
      text ||
      (exitCode === 0
        ? 'done'
        : `${args[0]} failed with exit code ${exitCode} and printed nothing. Run it in a shell: ralphctl ${args.join(' ')}`),
  };
}
