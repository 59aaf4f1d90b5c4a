/**
 * Runs a CLI and writes down what it prints: `record.mjs FILE PROGRAM ARGUMENT…`. Ends as the CLI ends.
 * Each line of FILE is {"out":LINE} or {"err":LINE}, in order of arrival; the last is {"exit":N} or {"signal":NAME}.
 * Invariant: the CLI has real pipes, as under ralphctl; on Node's own it could not open /dev/stderr, and aider does.
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [file, program, ...args] = process.argv.slice(2);
const note = (value) => appendFileSync(file, `${JSON.stringify(value)}\n`);

/** Two pipes without a name. */
function pipes() {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-record-'));
  try {
    const paths = ['out', 'err'].map((name) => join(dir, name));
    execFileSync('mkfifo', ['-m', '600', ...paths]);
    // Readers first and without waiting, so that opening a writer does not wait either.
    const read = paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    return { read, write: paths.map((path) => openSync(path, constants.O_WRONLY)) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const { read, write } = pipes();
const [stdout, stderr] = read.map((fd) => new Socket({ fd, readable: true, writable: false }));
const child = spawn(program, args, { stdio: ['inherit', ...write] });
for (const fd of write) closeSync(fd);
// The whole group is told to stop; this one waits to see how the CLI takes it.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
const copied = (from, to, name) =>
  new Promise((resolve) => {
    from.pipe(to, { end: false });
    from.once('close', resolve);
    createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => note({ [name]: line }));
  });
const all = Promise.all([copied(stdout, process.stdout, 'out'), copied(stderr, process.stderr, 'err')]);
const end = (code, signal) => {
  note(signal ? { signal } : { exit: code });
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
};
child.on('error', (error) => {
  console.error(error.message);
  end(127, null);
});
child.on('exit', (code, signal) => {
  // What it left running holds the pipes open; that is for others to see to.
  const late = setTimeout(end, 1000, code, signal);
  void all.then(() => {
    clearTimeout(late);
    end(code, signal);
  });
});
