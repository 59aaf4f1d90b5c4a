/**
 * Runs a CLI and writes down what it prints: `record.mjs FILE PROGRAM ARGUMENT…`. Ends as the CLI ends.
 * Each line of FILE is {"out":LINE} or {"err":LINE}, in order of arrival; the last is {"exit":N} or {"signal":NAME}.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, program, ...args] = process.argv.slice(2);
const note = (value) => appendFileSync(file, `${JSON.stringify(value)}\n`);
const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
// The whole group is told to stop; this one waits to see how the CLI takes it.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
const copy = (from, to, name) => {
  from.pipe(to);
  createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => note({ [name]: line }));
};
copy(child.stdout, process.stdout, 'out');
copy(child.stderr, process.stderr, 'err');
const end = (code, signal) => {
  note(signal ? { signal } : { exit: code });
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
};
child.on('exit', (code, signal) => {
  // What it left running holds the pipes open; that is for others to see to.
  const late = setTimeout(end, 1000, code, signal);
  child.once('close', () => {
    clearTimeout(late);
    end(code, signal);
  });
});
