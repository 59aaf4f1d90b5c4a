/** Declares the command triage. Invariant: imports nothing heavy; a call loads the command's module. */
import { Option, type Command as Program } from 'commander';
import { json, type Run } from './options.js';

interface Said {
  reason?: string;
  file?: string;
}

export function addTriage(program: Program, run: Run): void {
  const load = () => import('../commands/inspect/triage.js');
  const triage = program
    .command('triage')
    .argument('[file]', 'bug reports as JSON lines (default: those of the last triage, else reports.jsonl)')
    .summary('judge bug reports: what to fix, what to reject')
    .description(
      'Judges bug reports by rules and shows what to fix, in which order, and what is rejected and why. Starts nothing.',
    )
    .addOption(json)
    .action(run(async (context, file: string | undefined) => (await load()).showTriage(context, file)));
  for (const verdict of ['accept', 'reject'] as const)
    triage
      .command(verdict)
      .argument('<id>', 'id of the report')
      .description(`${verdict} a report whatever the gates say, until the report changes`)
      .addOption(new Option('--reason <text>', 'why; required'))
      .option('--file <file>', 'bug reports (default: as for triage)')
      .addOption(json)
      .action(
        run(async (context, id: string, said: Said) => (await load()).overruleReport(context, id, verdict, said)),
      );
}
