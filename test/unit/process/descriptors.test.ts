/**
 * A process that has run out of file descriptors: it must neither die nor call it the program's failure. The real limit of
 * the system, in a process of its own. Feature: C6.
 */
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { built, src } from './built.js';

/** Fills the table, then asks for git and for a program; again with what `free` gives back. */
const PROBE = `
import { closeSync, openSync } from 'node:fs';
import { git } from '${src}/git/runner.js';
import { run } from '${src}/process/run.js';
const dir = process.argv[2];
const said = [];
const fault = (kind) => (error) => said.push(kind + ' ' + error.message);
process.on('uncaughtException', fault('uncaught'));
process.on('unhandledRejection', fault('unhandled'));
const version = () => git('/').run(['version']);
const echo = (n) => run({ argv: ['/bin/echo', 'hi'], cwd: '/', places: [], env: { PATH: process.env.PATH }, outputFile: dir + '/' + n, token: 't/' + n, timeoutMs: 60000 });
const held = [];
const fill = () => { try { for (;;) held.push(openSync('/dev/null', 'r')); } catch {} };
const free = () => { for (const fd of held.splice(0)) closeSync(fd); };
const how = (work) => work.then((result) => (typeof result === 'string' ? 'git' : result.tail ?? 'none'), (error) => error.message);
// What is loaded when it is first needed.
await echo(0);
fill();
const full = await Promise.all([how(version()), how(echo(1))]);
const waiting = [how(version()), how(version()), how(echo(2))];
free();
const later = await Promise.all(waiting);
process.stdout.write(JSON.stringify({ full, later, said }));
`;

it.runIf(process.platform !== 'win32')(
  'waits for free file descriptors, says so when none come, and goes on when they do',
  { timeout: 120_000 },
  async () => {
    const { dir, program } = await built(PROBE);
    const line = `ulimit -n 80 && exec "$0" "$1" "$2"`;
    const { stdout } = await execa('/bin/sh', ['-c', line, process.execPath, program, dir]);
    const seen = JSON.parse(stdout) as { full: string[]; later: string[]; said: string[] };
    expect(seen.said).toEqual([]);
    for (const text of seen.full) expect(text).toMatch(/EMFILE/);
    expect(seen.later).toEqual(['git', 'git', 'hi\n']);
  },
);

/** What a program has open that starts after a sandbox was opened. */
const INHERITED = `
import { spawnSync } from 'node:child_process';
import { openSandbox } from '${src}/process/sandbox/launch.js';
const dir = process.argv[2];
const none = { readable: [], writable: [], read: [], write: [], programs: [], listening: [] };
const facts = { ...none, mode: 'on', home: dir, stateRoot: dir, cwd: dir, temporary: dir + '/tmp', sockets: dir, agent: { state: [], settings: [] }, kindOf: () => 'folder' };
const sandbox = await openSandbox({ facts, places: [], upstreams: { except: [] }, program: 'bwrap' });
process.stdout.write(spawnSync('ls', ['/proc/self/fd']).stdout);
await sandbox.close();
`;

it.runIf(process.platform === 'linux')(
  'leads nothing into a sandbox that ralphctl had open when it began',
  { timeout: 120_000 },
  async () => {
    const { dir, program } = await built(INHERITED);
    const line = `exec 17</ 200</ 63<"$1" && exec "$0" "$1" "$2"`;
    const { stdout } = await execa('bash', ['-c', line, process.execPath, program, dir]);
    // Of ls itself: its pipes, and the folder.
    expect(stdout.split('\n')).toEqual(['0', '1', '2', '3']);
  },
);
