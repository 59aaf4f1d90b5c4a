/** Options and argument parsers that several commands share. Invariant: imports nothing heavy. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../context.js';

type Action<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<number>;
/** Wraps the action of a command in the function that commander calls. */
export type Run = <Args extends unknown[]>(
  action: Action<Args>,
) => (...all: [...Args, Record<string, unknown>, Command]) => Promise<void>;

export const json = new Option('--json', 'print JSON, one value per line');
export const reason = new Option('--reason <text>', 'keep a reason; status, why and logs show it');

export const whole = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
};
export const collect = (value: string, before: string[] = []): string[] => [...before, value];
