/** `ralphctl help`: the list of commands, one command, or a topic. Invariant: imports nothing heavy. */
import { Argument, type Command, type Help, type Command as Program } from 'commander';
import { wrap } from '../../screen/text/text.js';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.js';
import { print } from '../context.js';
import { isTopic, TOPIC_NAMES, topicLines, topicText } from '../help/topics.js';
import type { Run } from './options.js';

const NO_TERMINAL = 80;
const NAME_CELLS = 25;
/** In fewer cells a text stands below its name, not beside it. */
const LEAST_BESIDE = 24;
/** Fewer cells are not worth a line break. */
export const LEAST_HELP = 20;
const INDENT = 2;

/** A name with its text. Names take `cells`, so that texts stand below each other. */
export function helpItem(
  name: string,
  cells: number,
  text: string,
  { helpWidth = NO_TERMINAL }: Pick<Help, 'helpWidth'>,
): string {
  if (text === '') return `  ${name}`;
  const lead = `  ${name.padEnd(cells + INDENT)}`;
  const room = helpWidth - lead.length;
  if (room >= LEAST_BESIDE) return `${lead}${wrap(text, room).join(`\n${' '.repeat(lead.length)}`)}`;
  const below = wrap(text, Math.max(LEAST_HELP, helpWidth - 6)).map((line) => `\n      ${line}`);
  return `  ${name}${below.join('')}`;
}

export function addHelp(program: Command, run: Run): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[topic...]', `a command, or a topic: ${TOPIC_NAMES.join(', ')}`)
    .summary('show help for a command or a topic')
    .description('Shows the help of a command, or a topic of the documentation as plain text.')
    .action(
      run(async (_context, [name, ...rest]: string[]) => {
        if (name === undefined) return program.help();
        const command = find(program, [name, ...rest]);
        if (command && !isTopic(name)) return command.help();
        // `config` is a command and a topic.
        if (command) print(command.helpInformation());
        const commands = program.commands.map((one) => one.name());
        print(await topicText(name, commands, process.stdout.columns ?? NO_TERMINAL));
        return 0;
      }),
    );
  program.addHelpText('after', () => `\nHelp topics (ralphctl help <topic>):\n${list()}`);
}

/** In the columns of the list of commands. */
const list = (): string =>
  topicLines()
    .map(([name, about]) => helpItem(name, NAME_CELLS - INDENT, about, { helpWidth: process.stdout.columns }))
    .join('\n');

/** The command that the words name, e.g. `budget raise`. */
function find(program: Command, words: readonly string[]): Command | undefined {
  let found: Command | undefined = program;
  for (const word of words) {
    const next: Command | undefined = found?.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!next) return found === program ? undefined : found;
    found = next;
  }
  return found;
}

/* `ralphctl completion`. Invariant: imports nothing heavy. */

export function addCompletion(program: Program, run: Run): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', SHELLS.join(', ')).choices(SHELLS))
    .summary('print the script that completes commands in a shell')
    .description('Prints the script that completes commands, flags and idea ids in bash, zsh or fish.')
    .action(
      run((_context, shell: Shell) => {
        print(completionScript(shell));
        return Promise.resolve(0);
      }),
    );
}
