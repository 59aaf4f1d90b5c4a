/** Asks for a yes in a terminal; elsewhere the answer is no. */
import { createInterface } from 'node:readline/promises';
import type { Context } from './context.js';
import { forPeople } from './views/terminal.js';

/** A blank separates the answer, and no line may end with it. */
export const promptOf = (question: string, stream: Parameters<typeof forPeople>[1], env = process.env): string =>
  `${forPeople(`${question} [y/N]`, stream, env)} `;

export async function confirmed({ json }: Pick<Context, 'json'>, question: string): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(promptOf(question, process.stderr));
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
