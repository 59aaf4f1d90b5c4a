/**
 * Candidates for the word at the cursor, from the program's own commands, options and arguments.
 * Invariant: a mistake in earlier words never fails. Imports nothing heavy, because a person waits for the answer.
 */

import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { projectDir, runDir, runsDir, stateRoot } from '../../config/paths.js';
import { projectName } from '../../git/project-name.js';
import { commonDirAt } from '../../git/worktrees/moved.js';
import { IDEA_STATUSES } from '../../protocol/states.js';
import { TOPIC_NAMES } from '../help/topics.js';
import { DIRS, FILES } from './scripts.js';

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
      const next = place.given === 0 ? place.command.commands.find((one) => one.name() === word) : undefined;
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
  command.commands.map((one) => ({ value: one.name(), about: one.summary() || one.description() }));

async function valuesOf({ long, argChoices }: Option, repo: string): Promise<Candidate[]> {
  if (argChoices) return plain(argChoices);
  switch (long) {
    case '--repo':
    case '--keep':
      return plain([DIRS]);
    case '--file':
    case '--html':
      return plain([FILES]);
    case '--only':
    case '--where':
      return plain(IDEA_STATUSES);
    case '--again':
      return plain(await ideaIds(repo));
    case '--run':
      return plain(await runIds(repo));
    default:
      return [];
  }
}

async function argumentsOf(program: Command, command: Command, given: number, repo: string): Promise<Candidate[]> {
  const all: readonly Argument[] = command.registeredArguments;
  const last = all.at(-1);
  const argument = all[given] ?? (last?.variadic ? last : undefined);
  if (!argument) return [];
  if (argument.argChoices) return plain(argument.argChoices);
  switch (argument.name()) {
    case 'idea':
    case 'ideas':
      return plain(await ideaIds(repo));
    case 'backlog':
      return plain([FILES]);
    case 'mode':
      return plain(['autopilot', 'semi-auto', 'step']);
    case 'topic':
      return given === 0 ? [...plain(TOPIC_NAMES), ...commandsOf(program)] : [];
    case 'answer':
      return plain(['continue', 'stop', 'review']);
    default:
      return [];
  }
}

/*
 * Ids for shell completion, from the files of the last run in the shell's repository.
 * Invariant: starts no program and checks no shapes. A missing or damaged file gives no ids.
 */

/** Newest first. */
export async function runIds(repo: string): Promise<string[]> {
  const project = await projectAt(repo);
  if (project === undefined) return [];
  return (await readdir(runsDir(stateRoot(), project)).catch(() => [])).sort().reverse();
}

export async function ideaIds(repo: string): Promise<string[]> {
  const project = await projectAt(repo);
  const [runId] = await runIds(repo);
  if (project === undefined || runId === undefined) return [];
  const dir = runDir(stateRoot(), project, runId);
  const [ideas, added] = await Promise.all([
    read<{ id?: unknown }[]>(join(dir, 'backlog.json')),
    readdir(join(dir, 'added')).catch(() => []),
  ]);
  const ids = (Array.isArray(ideas) ? ideas : []).flatMap(({ id }) => (typeof id === 'string' ? id : []));
  return [...ids, ...added.flatMap((name) => (name.endsWith('.json') ? name.slice(0, -'.json'.length) : []))];
}

async function projectAt(repo: string): Promise<string | undefined> {
  let folder = resolve(repo);
  for (;;) {
    const commonDir = await commonDirAt(folder);
    if (commonDir !== undefined) {
      const named = projectName(commonDir);
      // A moved repository keeps its project.
      const moved = await read<{ project?: string }>(join(projectDir(stateRoot(), named), 'moved.json'));
      return typeof moved?.project === 'string' ? moved.project : named;
    }
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

async function read<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
