/**
 * The commands of the group Inspect.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import { Option, type Command as Program } from 'commander';
import type { Dimension } from '../../protocol/budget.js';
import type { LedgerOptions } from '../commands/inspect/ledger.js';
import type { ReportOptions } from '../commands/inspect/report.js';
import type { ShowOptions } from '../commands/inspect/show.js';
import type { StatusOptions } from '../views/status-list.js';
import { collect, IDEA, json, type Run, whole } from './options.js';

const accounts = () => import('../commands/inspect/accounts.js');

export function addInspect(program: Program, run: Run): void {
  program
    .command('top')
    .summary('open the full screen (also: ralphctl alone)')
    .description('Opens the full screen of the open run, or of the last run. Leaving it changes nothing.')
    .action(run(async (context) => (await import('../commands/inspect/top.js')).top(context)));

  program
    .command('status')
    .summary('show what runs, what waits and what landed')
    .description('Shows what runs, what waits and what landed.')
    .option('--all', 'list every idea, in backlog order')
    .option('--page <n>', 'page of the list, 100 ideas per page', whole)
    .option(
      '--only <status>',
      'only ideas with this status, repeatable: pending, held, running, landed, failed, …',
      collect,
    )
    .addOption(json)
    .action(
      run(async (context, options: StatusOptions) =>
        (await import('../commands/inspect/status.js')).status(context, options),
      ),
    );

  program
    .command('why')
    .argument('<idea>', IDEA)
    .summary('explain an idea’s state, score and blockers')
    .description('Explains the state of an idea: its cause, its agent runs, its score breakdown and its blockers.')
    .addOption(json)
    .action(run(async (context, idea: string) => (await import('../commands/inspect/why.js')).why(context, idea)));

  program
    .command('logs')
    .argument('[idea]', 'show the output of this idea’s agent (default: the events of the run)')
    .summary('show the run’s events, or one agent’s output')
    .description('Shows the events of a run, or the output of the agent of one idea.')
    .option('-f, --follow', 'print more as it arrives; without an idea also what the agents do')
    .option('--raw', 'print the unchanged output of the agent')
    .option('--run <id>', 'run to show (default: the last)')
    .option('--runs', 'list the runs of this repository, newest first')
    .option('--iteration <n>', 'agent run of the idea to show (default: the last)', whole)
    .addOption(json)
    .action(
      run(async (context, idea: string | undefined, options: object) => {
        const { logs } = await import('../commands/inspect/logs.js');
        return logs(context, idea, options);
      }),
    );

  addReport(program, run);

  program
    .command('events')
    .summary('print the run’s events as JSON lines')
    .description('Prints the events of a run as JSON lines. The schema is schemas/events.schema.json.')
    .option('-f, --follow', 'print more as they arrive, until the run ends')
    .option('--run <id>', 'run to show (default: the last)')
    .addOption(new Option('--json', 'print JSON lines, the default and only form'))
    .action(
      run(async (context, options: object) => (await import('../commands/inspect/events.js')).events(context, options)),
    );

  addLedger(program, run);
  addLimits(program, run);
  addBudget(program, run);
}

function addReport(program: Program, run: Run): void {
  program
    .command('report')
    .summary('tell what a run brought, and what to do first')
    .description('Tells what a run brought: what to do first, what landed, what did not and why, and what it cost.')
    .option('--run <id>', 'run to report on (default: the last)')
    .option('--all', 'list every idea')
    .option('--md', 'print Markdown')
    .option('--html [file]', 'write one HTML page with all it needs, and print its path (default: in the run’s folder)')
    .addOption(json)
    .action(
      run(async (context, options: ReportOptions) =>
        (await import('../commands/inspect/report.js')).report(context, options),
      ),
    );

  program
    .command('show')
    .argument('<idea>', IDEA)
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
    .alias('history')
    .summary('list all runs of this repository')
    .description(
      [
        'Lists all runs of this repository, newest first: when each began, how long it took, how it ended, ideas landed and not, iterations, cost and agents. Below, what the newest ended run left, and what came of that.',
        'ralphctl history is the same command.',
      ].join('\n\n'),
    )
    .addOption(json)
    .action(run(async (context) => (await import('../commands/inspect/report.js')).runs(context)));
}

function addLedger(program: Program, run: Run): void {
  const load = () => import('../commands/inspect/ledger.js');
  const ledger = program
    .command('ledger')
    .argument('[idea]', 'the whole story of this idea (default: one line for each)')
    .summary('tell from the evidence what became of ideas')
    .description(
      'Tells what became of ideas, from the evidence that every run leaves: plan, claim, work, gate, landing.',
    )
    .option('--since <time>', 'only what happened since then: 2h, 3d, or a date')
    .addOption(json)
    .action(
      run(async (context, idea: string | undefined, options: LedgerOptions) =>
        (await load()).ledger(context, idea, options),
      ),
    );
  ledger
    .command('verify')
    .description('check that nobody changed the ledger, and print its head: keep it to compare later')
    .option('--head <head>', 'head that an earlier verify printed, NUMBER:HASH; the ledger must still contain it')
    .addOption(json)
    .action(run(async (context, options: { head?: string }) => (await load()).verifyLedger(context, options)));
  ledger
    .command('export')
    .description('write the whole ledger as one JSON document')
    .option('--out <file>', 'a new file (default: print it)')
    .addOption(json)
    .action(run(async (context, options: { out?: string }) => (await load()).exportLedger(context, options)));
}

function addLimits(program: Program, run: Run): void {
  const limits = program
    .command('limits')
    .summary('list agent accounts that wait; retry them now')
    .description('Lists the agent accounts that wait for a usage limit or a login, and retries them now.');
  limits
    .command('list', { isDefault: true })
    .description('list every account of the open run')
    .addOption(json)
    .action(run(async (context) => (await accounts()).listLimits(context)));
  limits
    .command('retry')
    .argument('[account]', 'account or agent (default: all)')
    .description('retry now, for example after a login or once the agent’s program works')
    .addOption(json)
    .action(run(async (context, which: string | undefined) => (await accounts()).retryLimit(context, which)));
}

function addBudget(program: Program, run: Run): void {
  const budget = program
    .command('budget')
    .summary('show the budgets of the run and the day; raise one')
    .description('Shows the budgets of the run and the day and their use, and raises one.');
  budget
    .command('show', { isDefault: true })
    .description('show every budget of the open run')
    .addOption(json)
    .action(run(async (context) => (await accounts()).showBudget(context)));
  budget
    .command('raise')
    .argument('[amount]', 'amount to add (default: the configured size of the budget)')
    .description('raise a budget; a run that this budget paused resumes')
    .addOption(new Option('--scope <scope>', 'which budget (default: the one that is used up)').choices(['run', 'day']))
    .addOption(new Option('--of <unit>', 'unit of the budget').choices(['iterations', 'minutes', 'tokens', 'dollars']))
    .addOption(json)
    .action(
      run(async (context, amount: string | undefined, { scope, of }: { scope?: 'run' | 'day'; of?: Dimension }) => {
        const options = { scope, dimension: of };
        return (await accounts()).raiseBudget(context, amount, options);
      }),
    );
}
