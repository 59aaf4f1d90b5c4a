/**
 * The commands about the configuration, the accounts' limits and the server, as rows.
 * Invariant: nothing heavy is imported here; the modules behind are loaded when a command is called.
 */
import { type Command, Option, type Command as Program } from 'commander';
import type { Run } from './control.js';

const json = new Option('--json', 'machine-readable output, one JSON value a line');
const configuration = () => import('../commands/config.js');
const limits = () => import('../commands/accounts.js');

export function addConfig(program: Program, run: Run): void {
  const config = program
    .command('config')
    .description('the configuration: where it is from; a changed one for the open run');
  config
    .command('show', { isDefault: true })
    .argument('[key]', 'only this key and those below it')
    .description('every value with its origin; of the open run, or of the next one')
    .addOption(json)
    .action(run(async (context, key: string | undefined) => (await configuration()).showConfig(context, key)));
  config
    .command('reload')
    .description('read ralphctl.yaml anew into the open run; what may not change in one is named')
    .addOption(json)
    .action(run(async (context) => (await configuration()).reloadConfig(context)));
}

export function addLimits(program: Program, run: Run): void {
  const accountLimits = program
    .command('limits')
    .description('agent accounts: which are open, which wait for a limit to end or for a login');
  accountLimits
    .command('list', { isDefault: true })
    .description('every account of the open run')
    .addOption(json)
    .action(run(async (context) => (await limits()).listLimits(context)));
  accountLimits
    .command('retry')
    .argument('[account]', 'account or agent (default: all)')
    .description('try now instead of at the stated time; after a login, or once an agent’s program works')
    .addOption(json)
    .action(run(async (context, which: string | undefined) => (await limits()).retryLimit(context, which)));
}

const SERVER = [
  ['start', 'start it, fetching or building it the first time'],
  ['stop', 'end it; its data stays'],
  ['status', 'is it running, and where'],
  ['logs', 'the end of its log'],
] as const;

export function addServer(program: Program, run: Run): void {
  const server = program.command('server').description('the embedded Temporal server');
  for (const [name, about] of SERVER) {
    const command = server.command(name).description(about).addOption(json);
    if (name === 'stop') command.option('--force', 'also while runs are open: they stand still until the next start');
    command.action(
      run(async (context, options: object) => (await import('../commands/server.js')).server(context, name, options)),
    );
  }
}

/* `ralphctl sync` as an argument of the program. Loads nothing heavy. */

export function addSync(program: Command, run: Run): void {
  program
    .command('sync')
    .description('bring a checkout that landings left behind up to its branch; keeps your edits')
    .option('--conflicts', 'leave conflict markers where your edits and landed work change the same lines')
    .addOption(new Option('--json', 'machine-readable output, one JSON value a line'))
    .action(
      run(async (context, options: { conflicts?: boolean }) =>
        (await import('../commands/sync.js')).sync(context, options),
      ),
    );
}
