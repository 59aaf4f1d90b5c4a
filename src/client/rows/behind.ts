/**
 * The commands about the configuration, alerts, budgets, the accounts' limits, saved work, checkouts, server and
 * worker.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import { InvalidArgumentError, Option, type Command as Program } from 'commander';
import type { Dimension } from '../../protocol/budget.js';
import type { ResetOptions } from '../commands/recover/reset.js';
import { json, type Run, whole } from './options.js';

const configuration = () => import('../commands/setup/config.js');
const accounts = () => import('../commands/inspect/accounts.js');
const savedWork = () => import('../commands/recover/saves.js');

export function addConfig(program: Program, run: Run): void {
  const config = program
    .command('config')
    .summary('show every setting; apply a changed file to the run')
    .description('Shows the configuration, and applies a changed ralphctl.yaml to the open run.');
  config
    .command('show', { isDefault: true })
    .argument('[key]', 'only this key and those below it')
    .description('show every value with its origin, of the open run or of the next one')
    .addOption(json)
    .action(run(async (context, key: string | undefined) => (await configuration()).showConfig(context, key)));
  config
    .command('reload')
    .description('apply ralphctl.yaml to the open run; names the keys that cannot change')
    .addOption(json)
    .action(run(async (context) => (await configuration()).reloadConfig(context)));
}

export function addLimits(program: Program, run: Run): void {
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

export function addBudget(program: Program, run: Run): void {
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
    .argument('[amount]', 'amount to add (default: the current size of the budget)')
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

export function addSaves(program: Program, run: Run): void {
  const saves = program
    .command('saves')
    .argument('[idea]', 'only the saves of this idea')
    .summary('list saved work; restore a save as a branch')
    .description('Lists what ralphctl saved before it removed or changed any work, and restores a save as a branch.')
    .addOption(json)
    .action(run(async (context, idea: string | undefined) => (await savedWork()).saves(context, idea)));
  saves
    .command('restore')
    .argument('<idea>')
    .argument('<n>', 'number of the save', whole)
    .description('restore a save as a branch; overwrites nothing')
    .option('--to <branch>', 'a new branch, or one that the save contains (default: restored/<idea>-<n>)')
    .addOption(json)
    .action(
      run(async (context, idea: string, n: number, options: { to?: string }) =>
        (await savedWork()).restore(context, idea, n, options.to),
      ),
    );
}

export function addSync(program: Program, run: Run): void {
  program
    .command('sync')
    .summary('update a checkout that fell behind its branch')
    .description('Updates a checkout that fell behind its branch when work landed. Keeps your edits.')
    .option('--conflicts', 'leave conflict markers where your edits and landed work change the same lines')
    .addOption(json)
    .action(
      run(async (context, options: { conflicts?: boolean }) =>
        (await import('../commands/recover/sync.js')).sync(context, options),
      ),
    );
}

const SERVER = [
  ['start', 'start the server; the first time, get or build it'],
  ['stop', 'stop the server and keep its data'],
  ['status', 'show whether the server runs, and where'],
  ['logs', 'print the end of the server’s log'],
] as const;

export function addServer(program: Program, run: Run): void {
  const server = program
    .command('server')
    .summary('manage the embedded Temporal server')
    .description('Manages the embedded Temporal server, one per user for all repositories.');
  for (const [name, about] of SERVER) {
    const command = server.command(name).description(about).addOption(json);
    if (name === 'stop')
      command.option('--force', 'stop it while runs are open; they stop moving until the next start');
    command.action(
      run(async (context, options: object) =>
        (await import('../commands/internals/server.js')).server(context, name, options),
      ),
    );
  }
}

const seconds = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Use a whole number of seconds.');
  return Number(text);
};

export function addNotify(program: Program, run: Run): void {
  const notify = program
    .command('notify')
    .summary('send a test alert to the rows of notify')
    .description('Sends a test alert to the rows of notify in ralphctl.yaml, and says what happened to each.');
  notify
    .command('test', { isDefault: true })
    .argument('[row]', 'only this row (default: all)')
    .description('send a test alert to every row, or to one')
    .addOption(json)
    .action(
      run(async (context, row: string | undefined) =>
        (await import('../commands/setup/notify.js')).testNotify(context, row),
      ),
    );
}

export function addWorker(program: Program, run: Run): void {
  program
    .command('worker')
    .summary('run a worker in the foreground, for services')
    .description('Runs a worker in the foreground, for service managers and containers.')
    .option('--project <id>', 'project to serve (default: the project of this repository)')
    .option('--capacity <n>', 'most agents at once on this host', whole)
    .option('--grace <seconds>', 'how long running iterations may continue after a stop signal', seconds)
    .option('--stop', 'stop the background worker of this project')
    .addOption(new Option('--supervise').hideHelp())
    .addOption(new Option('--child').hideHelp())
    .action(
      run(async (context, options: object) =>
        (await import('../commands/internals/worker.js')).worker(context, options),
      ),
    );
}

/* The command that lets ideas begin again. Invariant: nothing heavy is imported here. */

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
