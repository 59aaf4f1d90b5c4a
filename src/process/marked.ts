/**
 * git commands by a mark in their environment. Linux only; elsewhere it finds none.
 * Invariant: reads only.
 */
import { eachPid, readProc } from './table.js';

/** The pid of a git that has the mark, `NAME=value`, and runs one of the commands. What it has left running does not count. */
export async function findMarkedGit(mark: string, commands: readonly string[]): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  let found: number | undefined;
  await eachPid((pid) => {
    if (found !== undefined || !/\(git\)/.test(readProc(pid, 'stat')?.toString('latin1').slice(0, 40) ?? '')) return;
    const environment = readProc(pid, 'environ')?.toString('latin1').split('\0') ?? [];
    if (!environment.includes(mark)) return;
    const words = readProc(pid, 'cmdline')?.toString('latin1').split('\0') ?? [];
    if (commands.some((command) => words.includes(command))) found = pid;
  });
  return found;
}
