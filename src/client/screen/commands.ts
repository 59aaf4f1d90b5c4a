/** The program's own commands, for the command line of the screen. */
import { Command } from 'commander';
import type { CommandRow } from '../../screen/control/command-row.js';
import { addCommands } from '../rows/all.js';

export function commandRows(): CommandRow[] {
  const program = new Command('ralphctl');
  addCommands(program, () => () => Promise.resolve());
  return program.commands.flatMap((command) => [
    rowOf(command, command.helpGroup()),
    ...command.commands.map((inner) => rowOf(inner, command.helpGroup(), `${command.name()} `)),
  ]);
}

const rowOf = (command: Command, group: string, before = ''): CommandRow => ({
  name: `${before}${command.name()}`,
  group,
  ideas: command.registeredArguments.some((argument) => /^ideas?$/.test(argument.name())),
});
