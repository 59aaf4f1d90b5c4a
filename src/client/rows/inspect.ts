/**
 * The commands that report on runs: report, runs and show.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import type { Command as Program } from 'commander';
import type { ReportOptions } from '../commands/inspect/report.js';
import type { ShowOptions } from '../commands/inspect/show.js';
import { json, type Run, whole } from './options.js';

export function addReport(program: Program, run: Run): void {
  program
    .command('report')
    .summary('tell what a run brought, and what to do first')
    .description('Tells what a run brought: what to do first, what landed, what did not and why, and what it cost.')
    .option('--run <id>', 'run to report on (default: the last)')
    .option('--all', 'list every idea')
    .option('--md', 'print Markdown')
    .option('--html [file]', 'write a page that needs nothing else, and print its path (default: in the run’s folder)')
    .addOption(json)
    .action(
      run(async (context, options: ReportOptions) =>
        (await import('../commands/inspect/report.js')).report(context, options),
      ),
    );

  program
    .command('show')
    .argument('<idea>')
    .summary('show an idea’s card, timeline and gate, in any run')
    .description('Shows an idea: its card, its timeline, its gate, where it stands, and what other runs did with it.')
    .option('--run <id>', 'run to show (default: the last that worked on it)')
    .option('--iteration <n>', 'show the prompt, the last words and the gate of this agent run', whole)
    .addOption(json)
    .action(
      run(async (context, idea: string, options: ShowOptions) =>
        (await import('../commands/inspect/show.js')).show(context, idea, options),
      ),
    );

  program
    .command('runs')
    .summary('list all runs of this repository')
    .description('Lists all runs of this repository, newest first, and what the last one left.')
    .addOption(json)
    .action(run(async (context) => (await import('../commands/inspect/report.js')).runs(context)));
}
