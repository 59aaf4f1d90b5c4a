/**
 * git commands by a mark in their environment.
 * Invariant: reads only.
 */
import { gitProcesses } from './described.js';

/** The pid of a git that has the mark, `NAME=value`, and runs one of the commands. What it has left running does not count. */
export async function findMarkedGit(mark: string, commands: readonly string[]): Promise<number | undefined> {
  const found = (await gitProcesses()).find(
    ({ words, environment }) => environment.includes(mark) && commands.some((command) => words.includes(command)),
  );
  return found?.pid;
}
