/** Warnings about damaged summaries, for commands that read many of them, some more than once. */
import { say } from '../context.js';

const said = new Set<string>();

/** Says each problem once per process. */
export function warnOnce(problem: string): void {
  if (said.has(problem)) return;
  said.add(problem);
  say(`warning: ${problem}`);
}
