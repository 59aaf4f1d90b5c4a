/** `ralphctl completion`. Invariant: imports nothing heavy. */
import { Argument, type Command as Program } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.js';
import { print } from '../context.js';
import type { Run } from './options.js';

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
