/** Asks for a yes in a terminal; elsewhere the answer is no. */
import { createInterface } from 'node:readline/promises';
import type { Context } from './context.js';

export async function confirmed({ json }: Pick<Context, 'json'>, question: string): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
