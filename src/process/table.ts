/**
 * The process table at one moment, and the tree in it.
 * Invariant: rows are living processes (no zombies), each with the start time that makes its pid unambiguous.
 */

import { createHash } from 'node:crypto';
import { constants, readdirSync, readFileSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { hasProc, type Identity, isZombie, parseStat, ps, startOf } from './identity.js';

export interface ProcessRow extends Identity {
  ppid: number;
  pgid: number;
  /** A signal or its terminal stopped it: it does nothing until a SIGCONT. */
  halted?: true;
  /** It has a controlling terminal (known from /proc only). */
  terminal?: boolean;
  /** Processor time used by it and (from /proc) its ended children, milliseconds. */
  cpuMs: number;
}

/** Processes to read before other work gets its turn. */
const AT_ONCE = 200;

/**
 * Calls `work` for every pid in /proc. Reads synchronously: files of /proc come from memory in some 20 µs, and an
 * asynchronous read costs ten times that in thread hand-overs.
 */
export async function eachPid(work: (pid: number) => void): Promise<void> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const [at, name] of pids.entries()) {
    if (at > 0 && at % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    work(Number(name));
  }
}

/** A file of one process; undefined when the process has ended or is not readable, and where there is no /proc. */
export function readProc(pid: number, name: 'stat' | 'environ' | 'cmdline'): Buffer | undefined {
  if (!hasProc) return undefined;
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

const haltedIn = (state: string): { halted?: true } => (/^T/.test(state) ? { halted: true } : {});

async function fromProc(): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  await eachPid((pid) => {
    const stat = parseStat(readProc(pid, 'stat')?.toString('latin1') ?? '');
    if (stat && !isZombie(stat.state)) {
      const { ppid, pgid, startTime, terminal, cpuMs } = stat;
      rows.push({ pid, ppid, pgid, startTime, terminal, cpuMs, ...haltedIn(stat.state) });
    }
  });
  return rows;
}

async function fromPs(): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const line of (await ps(['-A', '-o', 'pid=,ppid=,pgid=,stat=,time=,lstart='])).split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
    const [, pid, ppid, pgid, state, time, startTime] = match ?? [];
    if (!state || !time || !startTime || isZombie(state)) continue;
    rows.push({
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      startTime: startOf(startTime),
      cpuMs: cpuTime(time),
      ...haltedIn(state),
    });
  }
  return rows;
}

/** Reads `[[days-]hours:]minutes:seconds[.hundredths]` of ps; milliseconds. */
export function cpuTime(text: string): number {
  const [clock = '', days] = text.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days ?? 0) * 86_400 + seconds) * 1000) || 0;
}

/** Every visible live process. */
export const processTable = (): Promise<ProcessRow[]> => (hasProc ? fromProc() : fromPs());

/** The processes that have one of `roots` as an ancestor, without the roots. */
export function descendantsOf(roots: ReadonlySet<number>, table: readonly ProcessRow[]): ProcessRow[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of table) {
    const siblings = children.get(row.ppid);
    if (siblings) siblings.push(row);
    else children.set(row.ppid, [row]);
  }
  const found: ProcessRow[] = [];
  const seen = new Set(roots);
  const open = [...roots];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      found.push(child);
      open.push(child.pid);
    }
  }
  return found;
}

/** This process and its ancestors, which no cleanup may ever signal. */
export function ownLine(table: readonly ProcessRow[]): Set<number> {
  const parent = new Map(table.map((row) => [row.pid, row.ppid]));
  const line = new Set<number>();
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = parent.get(pid)) line.add(pid);
  return line;
}

/*
 * A listing of folders that shows whether any file in them changed: kind, inode, mode, size and change time of each. A
 * program can set the modification time of a file, but not its change time.
 * Invariant: reads only, follows no link. Costs some 4 µs a file where `find` can print, 25 µs elsewhere.
 */

export interface Listed {
  /** `f` file, `d` folder, `l` link; anything else is rare. */
  kind: string;
  inode: string;
  mode: string;
  links: number;
  size: string;
  changed: string;
}

const FORMAT = '%y %i %m %n %s %C@ %p\\0';

/** `paths` must exist below `dir`; entries are ended by NUL. Parse with {@link parseListing}. */
export async function listFiles(dir: string, paths: readonly string[]): Promise<string> {
  if (paths.length === 0) return '';
  const roots = paths.map((path) => `./${path.replace(/\/+$/, '')}`);
  const found = await execa('find', ['-P', ...roots, '-printf', FORMAT], {
    cwd: dir,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    reject: false,
    maxBuffer: 1 << 30,
    stripFinalNewline: false,
  });
  // Not every `find` can print, and one that could not read something reports it.
  if (found.exitCode === 0) return found.stdout;
  const lines: string[] = [];
  for (const root of roots) await walk(dir, root, lines);
  return lines.join('');
}

async function walk(dir: string, path: string, lines: string[]): Promise<void> {
  const at = join(dir, path);
  const info = await lstat(at, { bigint: true });
  const kind = info.isDirectory() ? 'd' : info.isFile() ? 'f' : info.isSymbolicLink() ? 'l' : 'o';
  const { ino, mode, nlink, size, ctimeNs } = info;
  lines.push(`${kind} ${ino} ${mode.toString(8)} ${nlink} ${size} ${ctimeNs} ${path}\0`);
  if (kind !== 'd') return;
  const names = await readdir(at).catch(() => undefined);
  if (!names) lines.push(`unreadable 0 0 0 0 0 ${path}/\0`);
  for (const name of names ?? []) await walk(dir, `${path}/${name}`, lines);
}

/** By path, without `./`. */
export function parseListing(text: string): Map<string, Listed> {
  const files = new Map<string, Listed>();
  for (const line of text.split('\0')) {
    const [, kind = '', inode = '', mode = '', links, size = '', changed = '', path] =
      /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) \.\/([\s\S]*)$/.exec(line) ?? [];
    if (path !== undefined) files.set(path, { kind, inode, mode, links: Number(links), size, changed });
  }
  return files;
}

/** Hash of a file's content. Something else may have taken its place since it was listed: that is an error at once. */
export async function contentOf(path: string): Promise<string> {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    const hash = createHash('sha1');
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('base64');
  } finally {
    await file.close();
  }
}
