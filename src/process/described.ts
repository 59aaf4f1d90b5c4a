/**
 * Git processes and others with their command line and environment, from /proc or from `ps`.
 * Invariant: reads only; of the user's own processes only, as the system has it. `ps` joins all with spaces: the
 * environment begins at the first word that looks like a variable, so an argument of that form counts to it.
 */
import { basename } from 'node:path';
import { hasProc, type Identity, isZombie, parseStat, ps, startOf } from './identity.js';
import { eachPid, readProc } from './table.js';

export interface Described extends Identity {
  words: string[];
  /** `NAME=value` each. */
  environment: string[];
}

const COLUMNS = 'pid=,stat=,lstart=,command=';
/** Linux knows the first only, macOS only the second. */
const ARGUMENTS = process.platform === 'linux' ? ['axeww', '-o', COLUMNS] : ['-A', '-E', '-ww', '-o', COLUMNS];
const LINE = /^\s*(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s(.*)$/;
const VARIABLE = /^[A-Za-z_]\w*=/;

/** All processes that `ps` shows. */
export async function describedByPs(): Promise<Described[]> {
  const found: Described[] = [];
  for (const line of (await ps(ARGUMENTS)).split('\n')) {
    const [, pid, state, start, rest] = LINE.exec(line) ?? [];
    if (!pid || !state || !start || rest === undefined || isZombie(state)) continue;
    found.push({ pid: Number(pid), startTime: startOf(start), ...parted(rest) });
  }
  return found;
}

/** Exported for its test. A value with spaces stays whole, unless one of its words looks like a variable. */
export function parted(text: string): Pick<Described, 'words' | 'environment'> {
  const words: string[] = [];
  const environment: string[] = [];
  for (const word of text.split(' ')) {
    if (VARIABLE.test(word)) environment.push(word);
    else if (environment.length > 0) environment.push(`${environment.pop()} ${word}`);
    else words.push(word);
  }
  return { words, environment };
}

/** Every process of the program git, whatever its command. */
export async function gitProcesses(): Promise<Described[]> {
  if (!hasProc) return (await describedByPs()).filter(({ words }) => basename(words[0] ?? '') === 'git');
  const found: Described[] = [];
  await eachPid((pid) => {
    const stat = readProc(pid, 'stat')?.toString('latin1') ?? '';
    if (!/\(git\)/.test(stat.slice(0, 40))) return;
    const fields = parseStat(stat);
    if (!fields || isZombie(fields.state)) return;
    const read = (name: 'environ' | 'cmdline'): string[] =>
      (readProc(pid, name)?.toString('utf8') ?? '').split('\0').filter((part) => part !== '');
    found.push({ pid, startTime: fields.startTime, words: read('cmdline'), environment: read('environ') });
  });
  return found;
}
