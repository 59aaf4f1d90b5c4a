/**
 * Long output in a pager, as git does it: `RALPHCTL_PAGER`, else `PAGER`, else `less -FRX`, which ends by itself where all
 * fits the screen.
 * Invariant: only in a terminal, never for JSON and never for what follows. Where the pager cannot run or fails, the output
 * is printed as it is. What a command says beside its output goes the same way, so that it does not write over the pager.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { clean } from '../screen/text/text.js';
import { flushed } from './output.js';
import { endProgress } from './progress.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Commands whose output may be longer than a screen. */
const PAGED: ReadonlySet<string> = new Set([
  ...['backlog', 'config', 'convert', 'events', 'help', 'ledger', 'limits', 'logs', 'report', 'runs', 'saves'],
  ...['show', 'status', 'triage', 'why'],
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

/** More text than this shows that the pager reads, so a copy is no longer kept. */
const MOST_KEPT = 8 * 1024 * 1024;
/** A person ended the pager. */
const LEFT: readonly unknown[] = [0, 130, 'SIGINT', 'SIGHUP'];

let closed: Promise<void> | undefined;
let endInput = (): void => {};

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
  const { stdout, stderr } = process;
  const plain = { out: stdout.write, err: stderr.write };
  const child = spawn('/bin/sh', ['-c', line], {
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const input = child.stdin;
  const copy = new Copy();
  const goOn = (): void => void stdout.emit('drain');
  input.on('error', goOn);
  input.on('drain', goOn);
  let gone = false;
  const write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    // Somebody who has left the pager wants no more of it.
    if (!gone) copy.add(chunk);
    if (gone || input.destroyed) {
      done?.();
      return true;
    }
    return input.write(chunk, () => done?.());
  }) as typeof stdout.write;
  stdout.write = write;
  if (stderr.isTTY) stderr.write = write;
  endInput = () => input.end();
  closed = ended(child).then((how) => {
    gone = true;
    goOn();
    if (LEFT.includes(how.left)) return;
    stdout.write = plain.out;
    stderr.write = plain.err;
    stderr.write(`ralphctl: the pager "${clean(line)}" ${how.text}. ${copy.whole ? 'The output follows' : NOT_KEPT}\n`);
    for (const chunk of copy.chunks) stdout.write(chunk);
  });
  // The pager decides what Ctrl-C means.
  process.on('SIGINT', () => {});
}

const NOT_KEPT = 'Print the output without a pager: --no-pager';

/** What the pager got, for a pager that fails. */
class Copy {
  chunks: (string | Uint8Array)[] = [];
  whole = true;
  #size = 0;

  add(chunk: string | Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > MOST_KEPT) this.whole = false;
    if (this.whole) this.chunks.push(chunk);
    else this.chunks = [];
  }
}

async function ended(child: ChildProcess): Promise<{ left: unknown; text: string }> {
  const [code, signal] = await once(child, 'close').catch((error: Error) => [error.message, null] as unknown[]);
  if (signal !== null) return { left: signal, text: `was ended by ${String(signal)}` };
  return { left: code, text: typeof code === 'number' ? `failed with exit code ${code}` : `failed: ${String(code)}` };
}

/** Until the person has left it, or what a failed pager got is printed. */
export async function pagerClosed(): Promise<void> {
  endInput();
  await closed;
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
}
