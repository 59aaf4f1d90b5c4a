#!/usr/bin/env node
/**
 * The `ralphctl` program. Invariant: nothing heavy is imported here; each command's module is loaded when it is called,
 * so that `--help` answers at once.
 */
import { type Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Context, makeContext, printJson } from './client/context.js';
import { EXIT } from './client/errors.js';
import { endWithReader, flushed } from './client/output.js';
import { addConfig, addLimits, addServer, addSync } from './client/rows/behind.js';
import { addIdeaControls, addRunControls } from './client/rows/control.js';
import type { StatusOptions } from './client/views/status-list.js';
import type { Dimension } from './protocol/budget.js';
import { version } from './worker/build-id.js';

const termOf = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ');
const argumentTerm = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

const wantsJson = process.argv.includes('--json');
const program = new Command('ralphctl');

program
  .description('Lands a backlog of ideas with coding agents, unattended, on Temporal.')
  .option('-C, --repo <dir>', 'the repository to work on (default: this folder)')
  .version(version(), '-V, --version')
  // Without `[options]`, which nearly all have, the words get half as much room again.
  .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
  .showHelpAfterError(wantsJson ? false : '(see --help)')
  // With --json the error is told once, as JSON, by whoever catches it.
  .configureOutput(wantsJson ? { outputError: () => {} } : {})
  .exitOverride();

const seconds = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('a whole number of seconds is needed.');
  return Number(text);
};
const whole = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('a whole number from 1 is needed.');
  return Number(text);
};
const collect = (value: string, before: string[] = []): string[] => [...before, value];
const json = new Option('--json', 'machine-readable output, one JSON value a line');

function run<Args extends unknown[]>(
  action: (context: Context, ...args: Args) => Promise<number>,
): (...args: [...Args, Record<string, unknown>, Command]) => Promise<void> {
  return async (...all) => {
    const command = all.at(-1) as Command;
    const args = all.slice(0, -1) as unknown as Args;
    const context = makeContext(command.optsWithGlobals());
    process.exitCode = await action(context, ...args);
  };
}

interface Startable {
  slots?: number;
}

program.commandsGroup('To begin:');

program
  .command('init')
  .description('look at this repository and write a first ralphctl.yaml')
  .option('--force', 'replace the one that is there')
  .option('--dry-run', 'print it, write nothing')
  .addOption(json)
  .action(run(async (context, options: object) => (await import('./client/commands/init.js')).init(context, options)));

program
  .command('doctor')
  .description('check everything that a run here needs: agents, login, gate, repository, disk, server')
  .option('--quick', 'leave out the trial of set-up and gate in a fresh worktree')
  .option('--probe', 'let each agent that is used answer once (costs a little)')
  .addOption(json)
  .action(
    run(async (context, options: object) => (await import('./client/commands/doctor.js')).doctor(context, options)),
  );

program
  .command('demo')
  .description('land a small backlog in a throw-away repository with a scripted agent; needs no key')
  .option('--keep <dir>', 'make the repository there')
  .option('--chaos', 'kill worker and server on the way, and land everything all the same')
  .addOption(json)
  .action(
    run(async (context, options: object) => {
      const { demo } = await import('./client/commands/demo.js');
      return demo(context, options);
    }),
  );

program.commandsGroup('A run:');

program
  .command('start')
  .argument('[backlog]', 'roadmap.md or an ideas file (default: what ralphctl.yaml or the repository root has)')
  .description('start a run, or attach to the one that is open')
  .option('--agent <name>', 'agent for ideas that name none')
  .option('--slots <n>', 'agents at once', whole)
  .option('--target <branch>', 'branch to land on (default: the branch checked out)')
  .option('--gate <command>', 'quality command, repeatable; replaces the configured ones', collect)
  .option('--max-iterations <n>', 'iterations for ideas that set none', whole)
  .addOption(new Option('--mode <mode>', 'who starts ideas').choices(['autopilot', 'semi-auto', 'step']))
  .option('--again <idea>', 'run an idea again that is ticked or has landed, repeatable', collect)
  .option('--no-tick', 'do not tick landed ideas in the backlog')
  .option('--dry-run', 'show what would run and in which order')
  .option('--detach', 'return once the run has started')
  .option('--wait', 'stay attached while the run only waits for a person')
  .option('--no-wait', 'come back with exit code 4 then (default without a terminal)')
  .option('--no-worker', 'start no worker here; others serve this project')
  .addOption(json)
  .action(
    run(async (context, backlog: string | undefined, options: Startable) => {
      const { start } = await import('./client/commands/start.js');
      return start(context, { ...options, ...(backlog === undefined ? {} : { backlog }) });
    }),
  );

addRunControls(program, run);

program
  .command('enqueue')
  .argument('[backlog]', 'default: the file the run was started with')
  .description('take ideas into the open run that were added to its backlog since')
  .addOption(json)
  .action(
    run(async (context, file: string | undefined) =>
      (await import('./client/commands/enqueue.js')).enqueue(context, file),
    ),
  );

addLimits(program, run);

const budget = program.command('budget').description('what the run and the day may use, and what they have used');
budget
  .command('show', { isDefault: true })
  .description('every budget of the open run')
  .addOption(json)
  .action(run(async (context) => (await budgets()).showBudget(context)));
budget
  .command('raise')
  .argument('[amount]', 'how much more (default: as much again)')
  .description('allow more; a run that its budget paused goes on')
  .addOption(new Option('--scope <scope>', 'which budget (default: the one that is used up)').choices(['run', 'day']))
  .addOption(new Option('--of <what>', 'of what').choices(['iterations', 'minutes', 'tokens', 'dollars']))
  .addOption(json)
  .action(
    run(async (context, amount: string | undefined, { scope, of }: { scope?: 'run' | 'day'; of?: Dimension }) => {
      const options = { ...(scope ? { scope } : {}), ...(of ? { dimension: of } : {}) };
      return (await budgets()).raiseBudget(context, amount, options);
    }),
  );

addConfig(program, run);

program.commandsGroup('One idea:');

addIdeaControls(program, run);

program
  .command('warn')
  .argument('<idea>')
  .argument('[answer]', 'continue, stop, +N (iterations more), or review (default)')
  .description('the warnings of an idea, or what to do about them; it goes on meanwhile')
  .addOption(json)
  .action(
    run(async (context, idea: string, said: string | undefined) =>
      (await import('./client/commands/interventions.js')).warn(context, idea, said),
    ),
  );

program.commandsGroup('To look:');

program
  .command('status')
  .description('what runs, what waits, what landed')
  .option('--all', 'every idea, in backlog order')
  .option('--page <n>', 'a hundred of them', whole)
  .option('--only <status>', 'only ideas with this status, repeatable: pending, running, landed, failed …', collect)
  .addOption(json)
  .action(
    run(async (context, options: StatusOptions) =>
      (await import('./client/commands/status.js')).status(context, options),
    ),
  );

program
  .command('why')
  .argument('<idea>')
  .description('an idea’s score as a sum, and what it waits for')
  .addOption(json)
  .action(run(async (context, idea: string) => (await import('./client/commands/why.js')).why(context, idea)));

program
  .command('logs')
  .argument('[idea]', 'show what its agent did (default: the events of the run)')
  .description('events of the run, or what the agent of one idea did')
  .option('-f, --follow', 'go on as more comes; without an idea also what the agents do')
  .option('--raw', 'what the agent printed, as it printed it')
  .option('--run <id>', 'another run than the last')
  .option('--runs', 'list the runs of this repository, newest first')
  .option('--iteration <n>', 'another agent run than the last', whole)
  .addOption(json)
  .action(
    run(async (context, idea: string | undefined, options: object) => {
      const { logs } = await import('./client/commands/logs.js');
      return logs(context, idea, options);
    }),
  );

addSync(program, run);

const saves = program
  .command('saves')
  .argument('[idea]')
  .description('what was saved of ideas before anything of theirs was taken away')
  .addOption(json)
  .action(
    run(async (context, idea: string | undefined) => (await import('./client/commands/saves.js')).saves(context, idea)),
  );
saves
  .command('restore')
  .argument('<idea>')
  .argument('<n>', 'number of the save', whole)
  .description('bring one back as a branch; overwrites nothing')
  .option('--to <branch>', 'a new branch, or one that the save contains (default: restored/<idea>-<n>)')
  .addOption(json)
  .action(
    run(async (context, idea: string, n: number, options: { to?: string }) =>
      (await import('./client/commands/saves.js')).restore(context, idea, n, options.to),
    ),
  );

program.commandsGroup('Behind it:');

addServer(program, run);

program
  .command('worker')
  .description('run a worker in the foreground, for service managers and containers')
  .option('--project <id>', 'serve this project (default: this repository’s)')
  .option('--capacity <n>', 'most agents at once on this host', whole)
  .option('--grace <seconds>', 'how long running iterations may go on after a stop signal', seconds)
  .option('--stop', 'end the background worker of this project')
  .addOption(new Option('--supervise').hideHelp())
  .addOption(new Option('--child').hideHelp())
  .action(
    run(async (context, options: object) => {
      const { worker } = await import('./client/commands/worker.js');
      return worker(context, options);
    }),
  );

program
  .command('version')
  .description('versions of ralphctl, its SDK and its server')
  .addOption(json)
  .action(run(async (context) => (await import('./client/commands/version.js')).showVersion(context)));

program.helpCommand(true);
const budgets = () => import('./client/commands/accounts.js');

function argumentError({ exitCode, message }: CommanderError): number {
  if (exitCode === 0) return EXIT.ok;
  if (wantsJson) printJson({ kind: 'error', message: message.replace(/^error: /, ''), exitCode: EXIT.usage });
  return EXIT.usage;
}

endWithReader(process.stdout);
endWithReader(process.stderr);
try {
  await program.parseAsync();
} catch (error) {
  // `--help` ends like this, too; it must not wait for the words of other errors.
  if (error instanceof CommanderError) process.exitCode = argumentError(error);
  else {
    const { explain } = await import('./client/explain.js');
    process.exitCode = explain(error, wantsJson);
  }
}
// Libraries may keep handles open; every command has finished its work when it returns. A reader of the output may not:
// what a slow one has not taken yet would be lost with the process.
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(process.exitCode ?? EXIT.ok);
