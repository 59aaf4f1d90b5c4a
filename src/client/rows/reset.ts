/** The command that lets ideas begin again. Invariant: nothing heavy is imported here. */
import type { Command as Program } from 'commander';
import type { ResetOptions } from '../commands/recover/reset.js';
import { json, type Run } from './options.js';

export function addReset(program: Program, run: Run): void {
  program
    .command('reset')
    .argument('[ideas...]')
    .summary('begin ideas again as if no run had been')
    .description(
      'Removes branches and worktrees of ideas that have not landed, after saving them, and forgets what later runs would carry over. Needs that no run is open.',
    )
    .option('--all', 'every idea of the project')
    .option('--history', 'with --all: also remove the files of all runs (events, prompts, output)')
    .option('--dry-run', 'print what it would do and change nothing')
    .addOption(json)
    .action(
      run(async (context, ideas: string[], options: ResetOptions) =>
        (await import('../commands/recover/reset.js')).reset(context, ideas, options),
      ),
    );
}
