/**
 * Candidates for the word at the cursor, from the program's own commands, options and arguments.
 * Invariant: a mistake in earlier words never fails. Imports nothing heavy, because a person waits for the answer.
 */

import type { Argument, Command, Option } from 'commander';
import { TOPIC_NAMES } from '../help/topics.js';
import { STATUS_OPTIONS } from '../views/words.js';
import { DIRS, FILES } from './scripts.js';
import { agents, branches, ideaIds, openIdeaIds, runIds } from './values.js';

interface Candidate {
  value: string;
  about?: string;
}

const plain = (values: readonly string[]): Candidate[] => values.map((value) => ({ value }));

/** `words` follow the program's name; the last one is at the cursor. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const current = words.at(-1) ?? '';
  const found = await candidates(program, words.slice(0, -1), current);
  for (const { value, about } of found) {
    if (!value.startsWith(current) && value !== FILES && value !== DIRS) continue;
    process.stdout.write(`${value}${about ? `\t${about.replace(/\s+/g, ' ')}` : ''}\n`);
  }
}

interface Place {
  command: Command;
  /** Arguments before the cursor. */
  given: number;
  /** The option whose value is at the cursor. */
  option?: Option;
  /** The cursor is after `--`. */
  noOptions: boolean;
  repo?: string;
}

async function candidates(program: Command, before: readonly string[], current: string): Promise<Candidate[]> {
  const place = placeOf(program, before);
  const { command, given, option, noOptions, repo = process.cwd() } = place;
  if (option) return valuesOf(option, repo);
  if (current.startsWith('-') && !noOptions) return optionsOf(program, command);
  const inner = command.commands.find((one) => one.name() === DEFAULTS[command.name()]);
  const own = given === 0 ? commandsOf(command) : [];
  return [...own, ...(await argumentsOf(program, inner ?? command, given, repo))];
}

/** The subcommand that a command runs when none is given. */
const DEFAULTS: Readonly<Record<string, string>> = { config: 'show', limits: 'list', budget: 'show' };

function placeOf(program: Command, before: readonly string[]): Place {
  const place: Place = { command: program, given: 0, noOptions: false };
  for (const [at, word] of before.entries()) {
    if (word === '--') place.noOptions = true;
    else if (place.option) {
      if (place.option.long === '--repo') place.repo = word;
      delete place.option;
    } else if (word.startsWith('-') && !place.noOptions) {
      const option = optionNamed(program, place.command, word);
      if (option?.required && at < before.length) place.option = option;
    } else {
      const next = place.given === 0 ? place.command.commands.find((one) => isNamed(one, word)) : undefined;
      if (next) place.command = next;
      else place.given += 1;
    }
  }
  return place;
}

const optionNamed = (program: Command, command: Command, word: string): Option | undefined =>
  [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);

function optionsOf(program: Command, command: Command): Candidate[] {
  const options = [...command.options, ...(command === program ? [] : program.options)].filter((one) => !one.hidden);
  const listed = options.flatMap(({ long, short, description }) => ({
    value: long ?? short ?? '',
    about: description,
  }));
  return [...listed, { value: '--help', about: 'show this help' }];
}

const commandsOf = (command: Command): Candidate[] =>
  command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].map((value) => ({ value, about: one.summary() || one.description() })),
  );

const isNamed = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word);

async function valuesOf({ long, argChoices }: Option, repo: string): Promise<Candidate[]> {
  if (argChoices) return plain(argChoices);
  switch (long) {
    case '--repo':
    case '--keep':
      return plain([DIRS]);
    case '--file':
    case '--html':
    case '--out':
      return plain([FILES]);
    case '--agent':
      return plain(await agents(repo));
    case '--target':
    case '--to':
      return plain(await branches(repo));
    case '--only':
    case '--where':
      return plain(STATUS_OPTIONS);
    case '--again':
      return plain(await ideaIds(repo));
    case '--run':
      return plain(await runIds(repo));
    default:
      return [];
  }
}

/** Commands that no landed idea accepts. */
const NOT_LANDED = new Set([
  'answer',
  'unblock',
  'approve',
  'limit',
  'pause',
  'resume',
  'skip',
  'abandon',
  'hint',
  'edit',
]);

async function argumentsOf(program: Command, command: Command, given: number, repo: string): Promise<Candidate[]> {
  const all: readonly Argument[] = command.registeredArguments;
  const last = all.at(-1);
  const argument = all[given] ?? (last?.variadic ? last : undefined);
  if (!argument) return [];
  if (argument.argChoices) return plain(argument.argChoices);
  switch (argument.name()) {
    case 'idea':
    case 'ideas':
      return plain(await (NOT_LANDED.has(command.name()) ? openIdeaIds(repo) : ideaIds(repo)));
    case 'backlog':
    case 'file':
      return plain([FILES]);
    case 'source':
      return plain(['github', 'gitlab', FILES]);
    case 'mode':
      return plain(['autopilot', 'semi-auto', 'step']);
    case 'account':
      return plain(await agents(repo));
    case 'topic':
      return given === 0 ? [...plain(TOPIC_NAMES), ...commandsOf(program)] : [];
    case 'answer':
      return plain(['continue', 'stop', 'review']);
    default:
      return [];
  }
}
