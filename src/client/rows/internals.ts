/**
 * The commands of the group Internals.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import { InvalidArgumentError, Option, type Command as Program } from 'commander';
import { addCompletion, addHelp } from './help.js';
import { json, type Run, whole } from './options.js';

const SERVER = [
  ['start', 'start the server; the first time, get or build it'],
  ['stop', 'stop the server and keep its data'],
  ['status', 'show whether the server runs, and where'],
  ['logs', 'print the end of the server’s log'],
] as const;

const seconds = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Use a whole number of seconds.');
  return Number(text);
};

export function addInternals(program: Program, run: Run): void {
  addServer(program, run);
  addWorker(program, run);
  addCodec(program, run);

  program
    .command('version')
    .summary('show the versions of ralphctl, SDK and server')
    .description('Shows the versions of ralphctl, Node, the Temporal SDK and the server.')
    .addOption(json)
    .action(run(async (context) => (await import('../commands/internals/version.js')).showVersion(context)));

  addCompletion(program, run);
  addHelp(program, run);
}

function addServer(program: Program, run: Run): void {
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

function addCodec(program: Program, run: Run): void {
  program
    .command('codec')
    .summary('serve the codec for the Web UI without a worker')
    .description('Decrypts what Temporal stores of this project, for the Web UI and `temporal --codec-endpoint`.')
    .command('serve')
    .description('run the codec server in the foreground; a worker runs it by itself (payloads.codecServer.listen)')
    .option('--listen <address>', 'loopback address and port (default: payloads.codecServer.listen)')
    .addOption(json)
    .action(
      run(async (context, options: object) =>
        (await import('../commands/internals/codec.js')).serveCodec(context, options),
      ),
    );
}

function addWorker(program: Program, run: Run): void {
  program
    .command('worker')
    .summary('run a worker in the foreground, for services')
    .description('Runs a worker in the foreground, for service managers and containers.')
    .option('--project <id>', 'project to serve (default: the project of this repository)')
    .option('--capacity <n>', 'maximum number of agents at once on this host', whole)
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
