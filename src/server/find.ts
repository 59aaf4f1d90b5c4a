/**
 * Finds the servers on a database by their command line. A starter may die before it writes the record; ralphctl then
 * adopts its server, because a second one on the same SQLite file would corrupt it.
 * Invariant: matches the exact path after `--db-filename`, never a program's name.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { hasProc, type Identity, identityOf } from '../process/identity.js';
import { DATABASE_FLAG } from './flags.js';

export interface FoundServer {
  process: Identity;
  /** The program and its arguments. */
  args: string[];
}

const owns = (args: readonly string[], database: string): boolean => {
  const at = args.indexOf(DATABASE_FLAG);
  return at > 0 && args[at + 1] === database && args.includes('start-dev');
};

async function linuxCommands(): Promise<[pid: number, args: string[]][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return Promise.all(
    pids.map(async (pid) => [pid, (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')]),
  );
}

/** `ps` joins arguments with spaces, so the flag marks where the path begins, and the next flag where it ends. */
function psCommands(database: string): Promise<[pid: number, args: string[]][]> {
  const marker = ` ${DATABASE_FLAG} ${database} `;
  return new Promise((resolve, reject) => {
    const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 };
    execFile('ps', ['-axww', '-o', 'pid=,command='], options, (error, stdout) => {
      if (error) return reject(error);
      const found: [number, string[]][] = [];
      for (const line of stdout.split('\n')) {
        const [head, tail] = line.split(marker);
        const [, pid, program] = /^\s*(\d+)\s+(.*?) server start-dev$/.exec(head ?? '') ?? [];
        if (!pid || !program || !tail?.startsWith('-')) continue;
        found.push([
          Number(pid),
          [program, 'server', 'start-dev', DATABASE_FLAG, database, ...tail.trim().split(/\s+/)],
        ]);
      }
      resolve(found);
    });
  });
}

/** Servers running on exactly this database file. */
export async function findServers(database: string): Promise<FoundServer[]> {
  const commands = hasProc ? await linuxCommands() : await psCommands(database);
  const found: FoundServer[] = [];
  for (const [pid, args] of commands) {
    if (!owns(args, database)) continue;
    const identity = await identityOf(pid);
    if (identity) found.push({ process: identity, args });
  }
  return found;
}
