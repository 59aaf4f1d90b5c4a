/** `ralphctl sync` as an argument of the program. Loads nothing heavy. */
import { type Command, Option } from 'commander';
import type { Run } from './control-cli.js';

export function addSync(program: Command, run: Run): void {
  program
    .command('sync')
    .description('bring a checkout that landings left behind up to its branch; keeps your edits')
    .option('--conflicts', 'leave conflict markers where your edits and landed work change the same lines')
    .addOption(new Option('--json', 'machine-readable output, one JSON value a line'))
    .action(
      run(async (context, options: { conflicts?: boolean }) =>
        (await import('./commands/sync.js')).sync(context, options),
      ),
    );
}
