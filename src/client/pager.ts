/**
 * Long output in a pager, as git does it: `RALPHCTL_PAGER`, else `PAGER`, else `less -FRX`, which ends by itself where all
 * fits the screen.
 * Invariant: only in a terminal, never for JSON and never for what follows. Where the pager cannot run, the output is
 * printed as it is. What a command says beside its output goes the same way, so that it does not write over the pager.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { endProgress } from './progress.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Commands whose output may be longer than a screen. */
const PAGED: ReadonlySet<string> = new Set([
  ...['config', 'events', 'help', 'limits', 'logs', 'report', 'runs', 'saves', 'show', 'status', 'why'],
]);

interface Asked {
  pager?: boolean;
  json?: boolean;
  follow?: boolean;
}

/** The command line of the pager; undefined: none. */
export function pagerOf(
  command: string,
  { pager, json, follow }: Asked,
  env: Env,
  terminal: boolean,
): string | undefined {
  if (!terminal || pager === false || json || follow || env.TERM === 'dumb' || !PAGED.has(command)) return undefined;
  const chosen = (env.RALPHCTL_PAGER ?? env.PAGER ?? 'less').trim();
  if (chosen === '' || chosen === 'cat') return undefined;
  return canRun(chosen, env) ? chosen : undefined;
}

/** A name that is not on PATH; anything else is the shell's business. */
function canRun(line: string, { PATH = '' }: Env): boolean {
  const [program = ''] = line.split(/\s+/);
  if (!/^[\w./+-]+$/.test(program)) return true;
  const places = program.includes('/') ? [''] : PATH.split(delimiter);
  return places.some((dir) => {
    try {
      accessSync(isAbsolute(program) || dir === '' ? program : join(dir, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

let running: ChildProcess | undefined;

/** The pager opens with the first output, so that nothing is in its way before. */
export function pageOutput(line: string, env: Env): void {
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = ((...args: Parameters<typeof write>) => {
    endProgress();
    stdout.write = write;
    openPager(line, env);
    return stdout.write(...args);
  }) as typeof write;
}

/** From now on, output goes to the pager. */
function openPager(line: string, env: Env): void {
  const child = spawn('/bin/sh', ['-c', line], {
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const input = child.stdin;
  running = child;
  let gone = false;
  // Somebody who has left the pager wants no more of it.
  const leave = (): void => {
    gone = true;
    process.stdout.emit('drain');
  };
  child.once('error', leave);
  child.once('close', leave);
  input.on('error', leave);
  input.on('drain', () => process.stdout.emit('drain'));
  const write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (gone || input.destroyed) {
      done?.();
      return true;
    }
    return input.write(chunk, () => done?.());
  }) as typeof process.stdout.write;
  process.stdout.write = write;
  if (process.stderr.isTTY) process.stderr.write = write;
  // The pager decides what Ctrl-C means.
  process.on('SIGINT', () => {});
}

/** Until the person has left it. */
export async function pagerClosed(): Promise<void> {
  const child = running;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.stdin?.end();
  await closed;
}
