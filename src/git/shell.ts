/**
 * Runs git through a few persistent shells. Forking a small shell takes a fraction of a millisecond, forking this
 * process some three, and an idea needs dozens of git processes.
 * Invariant: one command at a time in each shell. Its output arrives byte for byte with its exit code. Every word is
 * quoted, so that a path, a message or a variable is never run as a command. The shells end with this process, and a
 * command that only reads with them.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { canSpawn, untilCanSpawn } from '../process/descriptors.js';
import { makeTemporary } from '../process/temporary.js';
import { shellQuoted } from '../protocol/shell-words.js';

export interface ShellCommand {
  /** Absolute; must exist. */
  dir: string;
  argv: readonly string[];
  /** The whole environment, less `extra`. A change starts new shells. */
  env: Readonly<Record<string, string>>;
  /** Added for this command. */
  extra: Readonly<Record<string, string>>;
  /** Written to stdin; absent: /dev/null. */
  input?: string | undefined;
  /** May leave processes that continue to print: its output takes a separate way. */
  apart?: boolean | undefined;
  /** Changes nothing: it ends with this process. Any other command runs to its end. */
  read?: boolean | undefined;
  /** Ends it, with all that its process group holds. */
  signal?: AbortSignal | undefined;
}

export interface ShellResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** The shell itself failed; whether the command ran is unknown. */
export class ShellError extends Error {
  override name = 'ShellError';
}

/** Further commands wait: more concurrency only overloads disk and processors. */
const MOST_SHELLS = 16;
/** Longer input goes another way, because the shell would hold it, quoted, in memory. */
const LONGEST_INPUT = 64 << 10;
const NO_SUCH_FOLDER = 'none';
/** How long output may still arrive from a shell that has ended. */
const LAST_WORDS_MS = 500;
/** How long a command that is ended may take to clean up: git removes its locks. */
const KILL_GRACE_MS = 3000;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** False for commands that a shell cannot take: the caller starts a process. */
export const shellCanRun = ({ argv, extra, input = '' }: ShellCommand): boolean =>
  process.platform !== 'win32' &&
  input.length <= LONGEST_INPUT &&
  Object.keys(extra).every((name) => NAME.test(name)) &&
  ![...argv, ...Object.values(extra), input].some((text) => text.includes('\0'));

interface OutputFiles {
  out: string;
  err: string;
}

/** The shell's input for a command. The mark ends both streams, on stdout followed by the exit code. */
function script({ dir, argv, extra, input }: ShellCommand, mark: string, files?: OutputFiles): string {
  const assignments = Object.entries(extra).map(([name, value]) => `${name}=${shellQuoted(value)}`);
  const words = [...assignments, ...argv.map(shellQuoted)];
  if (files) words.push(`>${shellQuoted(files.out)}`, `2>${shellQuoted(files.err)}`);
  const command = words.join(' ');
  const fed = input === undefined ? `${command} </dev/null` : `printf %s ${shellQuoted(input)} | ${command}`;
  return (
    `if cd -P ${shellQuoted(dir)}; then ${fed}\nset -- $?; else set -- ${NO_SUCH_FOLDER}; fi; cd /; ` +
    `printf '${mark}%s\\n' "$1"; printf '${mark}\\n' >&2\n`
  );
}

/** The text before the mark; undefined before it arrives. Only the end is searched, however long the text is. */
class Marked {
  #chunks: Buffer[] = [];

  constructor(
    private readonly mark: Buffer,
    private readonly tailBytes: number,
  ) {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  /** The text, and what follows the mark, once the line with the mark is complete. */
  read(): { text: string; after: string } | undefined {
    if (this.#chunks.at(-1)?.at(-1) !== 0x0a) return undefined;
    const wanted = this.mark.length + this.tailBytes;
    let tail = this.#chunks.at(-1) ?? Buffer.alloc(0);
    for (let at = this.#chunks.length - 2; at >= 0 && tail.length < wanted; at--)
      tail = Buffer.concat([this.#chunks[at] ?? Buffer.alloc(0), tail]);
    const found = tail.lastIndexOf(this.mark);
    if (found < 0) return undefined;
    const all = Buffer.concat(this.#chunks);
    const end = all.length - tail.length + found;
    return {
      text: all.toString('utf8', 0, end),
      after: all.toString('utf8', end + this.mark.length, all.length - 1),
    };
  }
}

interface Job {
  read: boolean;
  out: Marked;
  err: Marked;
  resolve: (result: ShellResult) => void;
  reject: (error: Error) => void;
}

class Shell {
  readonly #child: ChildProcessWithoutNullStreams;
  #job: Job | undefined;
  #ending = false;
  #closed = false;
  usable = true;

  constructor(
    env: Readonly<Record<string, string>>,
    private readonly onFree: () => void,
  ) {
    // Its own session: git has no terminal to ask on, and Ctrl-C there does not interrupt a command.
    this.#child = spawn('/bin/sh', [], { cwd: '/', env, stdio: 'pipe', detached: true });
    const { stdin, stdout, stderr } = this.#child;
    stdout.on('data', (chunk: Buffer) => this.#take('out', chunk));
    stderr.on('data', (chunk: Buffer) => this.#take('err', chunk));
    for (const stream of [stdin, stdout, stderr]) stream.on('error', (error) => this.#lost(error.message));
    this.#child.once('error', (error) => this.#lost(error.message));
    this.#child.once('close', () => {
      this.#closed = true;
      this.#lost('it was closed');
    });
    this.#child.once('exit', (code, signal) => {
      this.usable = false;
      // A command that is being ended may outlive its shell for a moment.
      const waitMs = LAST_WORDS_MS + (this.#ending ? KILL_GRACE_MS : 0);
      setTimeout(() => this.#lost(`exit ${code ?? signal}`), waitMs).unref();
    });
    this.#hold(false);
  }

  get busy(): boolean {
    return this.#job !== undefined;
  }

  /** Runs a command that changes nothing. */
  get reads(): boolean {
    return this.#job?.read ?? false;
  }

  /** Reserves the shell at once; the promise settles when the command has ended. */
  run(command: ShellCommand, files?: OutputFiles): Promise<ShellResult> {
    const mark = randomBytes(16).toString('hex');
    return new Promise((resolve, reject) => {
      const marked = (): Marked => new Marked(Buffer.from(mark), 8);
      const job = { read: command.read ?? false, out: marked(), err: marked(), resolve, reject };
      this.#job = job;
      this.#hold(true);
      this.#child.stdin.write(script(command, mark, files));
      command.signal?.addEventListener('abort', () => this.#job === job && this.end(), { once: true });
    });
  }

  /** Ends it and its running command: TERM, and KILL to what is left after a while. */
  end(): void {
    this.usable = false;
    this.#ending = true;
    this.signalGroup('SIGTERM');
    setTimeout(() => this.signalGroup('SIGKILL'), KILL_GRACE_MS).unref();
  }

  /** The shell leads its group. Until its output is closed a member of the group lives, and keeps the group's id. */
  signalGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#closed) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended.
    }
  }

  /** Ends it after its running command. */
  retire(): void {
    this.usable = false;
    this.#child.stdin.end();
  }

  #take(stream: 'out' | 'err', chunk: Buffer): void {
    const job = this.#job;
    // A leftover process of a command prints here; its output cannot be told from that of the next command.
    if (!job) {
      this.retire();
      return;
    }
    job[stream].push(chunk);
    const [out, err] = [job.out.read(), job.err.read()];
    if (!out || !err) return;
    this.#job = undefined;
    this.#hold(false);
    job.resolve({ code: Number(out.after), stdout: out.text, stderr: err.text });
    this.onFree();
  }

  #lost(why: string): void {
    this.usable = false;
    const job = this.#job;
    this.#job = undefined;
    this.#hold(false);
    job?.reject(new ShellError(`the shell that ran it ended (${why})`));
    this.onFree();
  }

  /** A shell that waits for work does not keep this process alive. */
  #hold(on: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    const parts = [this.#child, ...([stdin, stdout, stderr] as unknown as Socket[])];
    for (const part of parts) {
      if (on) part.ref();
      else part.unref();
    }
  }
}

let shells: Shell[] = [];
let environment = '';
// A git that hangs would outlive this process for ever.
process.on('exit', () => {
  for (const shell of shells) if (shell.reads) shell.signalGroup('SIGTERM');
});
const waiting: Array<() => void> = [];

function freeShell(env: Readonly<Record<string, string>>): Shell | undefined {
  const now = JSON.stringify(env);
  if (now !== environment) for (const shell of shells) shell.retire();
  environment = now;
  shells = shells.filter((shell) => shell.usable);
  const free = shells.find((shell) => !shell.busy);
  if (free || shells.length >= MOST_SHELLS) return free;
  // Without free descriptors the spawn itself would crash this process.
  if (!canSpawn()) return undefined;
  const made = new Shell(env, () => waiting.shift()?.());
  shells.push(made);
  return made;
}

async function inFreeShell(command: ShellCommand, files?: OutputFiles): Promise<ShellResult> {
  for (;;) {
    // Found and reserved in one turn, so that no other command can come between.
    command.signal?.throwIfAborted();
    const shell = freeShell(command.env);
    if (shell) return shell.run(command, files);
    if (shells.length > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else await untilCanSpawn().catch((error: Error) => Promise.reject(new ShellError(error.message)));
  }
}

/** Runs one command. Rejects with a {@link ShellError} when the shell failed. */
export async function runInShell(command: ShellCommand): Promise<ShellResult> {
  const result = command.apart ? await runApart(command) : await inFreeShell(command);
  if (Number.isNaN(result.code)) throw new ShellError(result.stderr.trim());
  return result;
}

async function runApart(command: ShellCommand): Promise<ShellResult> {
  const dir = await makeTemporary('git');
  try {
    const files = { out: join(dir, 'out'), err: join(dir, 'err') };
    const { code, stderr: said } = await inFreeShell(command, files);
    const [stdout, stderr] = await Promise.all(
      [files.out, files.err].map((file) => readFile(file, 'utf8').catch(() => '')),
    );
    return { code, stdout: stdout ?? '', stderr: `${stderr}${said}` };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
