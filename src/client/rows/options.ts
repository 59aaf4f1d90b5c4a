/** Options and argument parsers that several commands share. Invariant: imports nothing heavy. */
import { type Command, InvalidArgumentError, Option, type Command as Program } from 'commander';
import type { IdeaVerb, Intervention } from '../../protocol/command.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import type { Selection } from '../after-run/select.js';
import type { Context } from '../context.js';

type Action<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<number>;
/** Wraps the action of a command in the function that commander calls. */
export type Run = <Args extends unknown[]>(
  action: Action<Args>,
) => (...all: [...Args, Record<string, unknown>, Command]) => Promise<void>;

export const IDEA = 'id of the idea, as status shows it';
export const json = new Option('--json', 'print JSON, one value per line');
export const reason = new Option('--reason <text>', 'keep a reason; status, why and logs show it');

export const whole = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
};
/** The same range as `slots` in the configuration. */
export const slotCount = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > 100)
    throw new InvalidArgumentError('Use a whole number from 1 to 100.');
  return Number(text);
};
/**
 * An unset variable of a script gives an empty value, and that is no gate, branch or folder. An empty text may be meant.
 * Throws {@link UserError}.
 */
export function refuseEmptyValues(command: Command): void {
  const given = command.optsWithGlobals();
  for (let one: Command | null = command; one; one = one.parent) {
    for (const option of one.options) {
      const values: unknown[] = [given[option.attributeName()]].flat();
      if (!option.required || option.flags.endsWith('<text>')) continue;
      if (!values.some((value) => typeof value === 'string' && value.trim() === '')) continue;
      throw new UserError(`${option.long} needs a value; it is empty`, EXIT.usage, `ralphctl ${command.name()} --help`);
    }
  }
}

export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/* Commands that take one idea, or all ideas of some statuses. Invariant: imports nothing heavy. */

export interface Several extends Selection {
  reason?: string;
  forget?: boolean;
}

/** One idea, or all of some statuses. */
export async function tellSome(
  context: Context,
  idea: string | undefined,
  command: Omit<Intervention, 'idea'> & { verb: IdeaVerb },
  said: Several,
): Promise<number> {
  const { isSelection, tellAll } = await import('../after-run/select.js');
  const told = { ...command, ...(said.reason ? { reason: said.reason } : {}) };
  if (isSelection(idea, said, command.verb) || idea === undefined) return tellAll(context, said, told);
  return (await import('../commands/steer/interventions.js')).tell(context, { ...told, idea });
}

export const ALL_FAILED = 'choose all ideas that failed, timed out or are blocked';
export const WHERE = 'choose all ideas of this status, repeatable (failed, timeout, blocked, skipped …)';
export const FORGET = 'take back this command, if it waits for the next start';

/** Commander prints its own errors only while it parses, so a command throws this one. */
export const given = (n: number | undefined, example: string): number => {
  if (n === undefined) throw new UserError(`give a number: ralphctl ${example}`, EXIT.usage, `ralphctl ${example}`);
  return n;
};

/* Commands that send one intervention, to the run or to one idea. */

export interface Said {
  reason?: string;
}

export const interventions = () => import('../commands/steer/interventions.js');
export const forgets = () => import('../commands/steer/forget.js');
export const tell = async (context: Context, command: Intervention, said: Said): Promise<number> =>
  (await interventions()).tell(context, { ...command, ...(said.reason ? { reason: said.reason } : {}) });
export const about = (idea: string | undefined): { idea?: string } => (idea === undefined ? {} : { idea });

/** @param summary the line in the list of commands; it fits 80 columns */
type Add = (name: string, summary: string, text: string) => Program;
export const adding =
  (program: Program): Add =>
  (name, summary, text) => {
    const command = program.command(name).summary(summary).description(text).addOption(reason).addOption(json);
    for (const argument of command.registeredArguments)
      if (argument.description === '') argument.description = WHICH[argument.name()] ?? '';
    return command;
  };

/** Arguments in the name of a command; one that may be missing has a default, which the command's text tells. */
const WHICH: Readonly<Record<string, string>> = { idea: IDEA };
