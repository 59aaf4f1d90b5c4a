/**
 * Runs inside a sandbox, before the program: listens where the sandbox offers addresses of the outside, starts the program
 * and ends with its exit code. Usage: sandbox-bridge.js PORT=SOCKET … TOLD -- PROGRAM ARGUMENT …
 * Invariant: it listens before the program starts. With its end everything in the sandbox ends. It reports what was left.
 * Must not import ralphctl's own modules: any program in the sandbox could read them, but it needs none.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

/** As a shell has it. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;
/** The first process of a sandbox is bubblewrap's own. */
const FIRST = 1;
const TELL_MS = 1000;

const words = process.argv.slice(2);
const end = words.indexOf('--');
const [program = '', ...rest] = words.slice(end + 1);
const told = words[end - 1] ?? '';

/** Both addresses of this machine: programs differ in which one `localhost` is. */
async function offer(port: number, path: string): Promise<void> {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const outside = connect({ path, allowHalfOpen: true });
      for (const [one, other] of [
        [client, outside],
        [outside, client],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => {
      // There may be no second one.
      server.once('error', () => resolve());
      server.listen(port, host, () => resolve());
    });
  }
}

function leftOver(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== FIRST && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const [, name = '', state = ''] = /^\d+ \((.*)\) (\S)/s.exec(stat) ?? [];
        return /[ZXx]/.test(state) ? [] : [name];
      } catch {
        return [];
      }
    });
}

function tell(names: readonly string[]): Promise<void> {
  if (names.length === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const socket = connect(told, () => socket.end(`${names.join('\n')}\n`));
    socket.on('close', () => resolve());
    socket.on('error', () => resolve());
    setTimeout(resolve, TELL_MS);
  });
}

for (const pair of words.slice(0, end - 1)) {
  const at = pair.indexOf('=');
  await offer(Number(pair.slice(0, at)), pair.slice(at + 1));
}
// The signal goes to the whole group: the program decides how it ends.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
const child = spawn(program, rest, { stdio: 'inherit' });
child.once('error', (error: NodeJS.ErrnoException) => {
  process.stderr.write(`sandbox: ${program} did not start in the sandbox: ${error.message}\n`);
  process.exit(error.code === 'ENOENT' ? NOT_FOUND : NOT_STARTED);
});
child.once('exit', (code, signal) => {
  const exit = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  void tell(leftOver()).then(() => process.exit(exit));
});
