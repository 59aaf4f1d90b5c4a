/**
 * The commands that tell what runs brought: report, runs and show.
 * Invariant: nothing heavy is imported here; a command loads its module when it is called.
 */
import type { Command as Program } from 'commander';
import type { ReportOptions } from '../commands/report.js';
import { json, type Run } from './options.js';

export function addReport(program: Program, run: Run): void {
  program
    .command('report')
    .summary('tell what a run brought, and what to do first')
    .description('Tells what a run brought: what to do first, what landed, what did not and why, and what it cost.')
    .option('--run <id>', 'run to report on (default: the last)')
    .option('--all', 'list every idea')
    .option('--md', 'print Markdown')
    .addOption(json)
    .action(
      run(async (context, options: ReportOptions) => (await import('../commands/report.js')).report(context, options)),
    );
}
