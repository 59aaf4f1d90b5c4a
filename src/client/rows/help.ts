/** `ralphctl help`: the list of commands, one command, or a topic. Invariant: imports nothing heavy. */
import { Argument, type Command, type Command as Program } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.js';
import { print } from '../context.js';
import { isTopic, TOPIC_NAMES, topicLines, topicText } from '../help/topics.js';
import type { Run } from './options.js';

const NO_TERMINAL = 80;
const NAME_CELLS = 25;

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
    .map(([name, about]) => `  ${name.padEnd(NAME_CELLS)}${about}`)
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
