/**
 * The commands about the backlog: backlog and convert.
 * Invariant: nothing heavy is imported here; a command loads its module when it is called.
 */
import { Option, type Command as Program } from 'commander';
import { FORMAT_NAMES } from '../../protocol/backlog-formats.js';
import type { BacklogOptions, ConvertOptions } from '../commands/setup/backlog.js';
import { json, type Run } from './options.js';

export const format = (): Option =>
  new Option('--format <format>', 'format of the backlog (default: detected)').choices(FORMAT_NAMES);

export function addBacklog(program: Program, run: Run): void {
  program
    .command('backlog')
    .argument('[backlog]', 'backlog to read (default: as for start)')
    .summary('show ideas, order and what is unclear')
    .description(
      'Shows what a run would read: the ideas, their order, what is done, unclear or left out. Starts nothing.',
    )
    .addOption(format())
    .addOption(json)
    .action(
      run(async (context, backlog: string | undefined, options: BacklogOptions) =>
        (await import('../commands/setup/backlog.js')).showBacklog(context, backlog, options),
      ),
    );
  program
    .command('convert')
    .argument('[backlog]', 'backlog to read (default: as for start)')
    .summary('write a backlog as roadmap.md or ideas.yaml')
    .description('Writes a backlog of another tool as roadmap.md or ideas.yaml. Overwrites nothing.')
    .addOption(new Option('--to <target>', 'what to write').choices(['roadmap', 'ideas']).makeOptionMandatory())
    .option('--out <file>', 'a new file (default: print it)')
    .addOption(format())
    .addOption(json)
    .action(
      run(async (context, backlog: string | undefined, options: ConvertOptions) =>
        (await import('../commands/setup/backlog.js')).convert(context, backlog, options),
      ),
    );
}
