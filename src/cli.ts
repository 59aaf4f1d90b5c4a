/**
 * The `ralphctl` program. Invariant: nothing heavy is imported here; a command loads its module when it is called, so that
 * `--help` answers at once.
 */
import { type Argument, Command, CommanderError, Option } from 'commander';
import type { BacklogOptions } from './client/commands/setup/backlog.js';
import { COMPLETE } from './client/completion/scripts.js';
import { type Context, makeContext, printJson } from './client/context.js';
import { endWithReader, flushed } from './client/output.js';
import { addBacklog, format } from './client/rows/backlog.js';
import {
  addBudget,
  addConfig,
  addLimits,
  addNotify,
  addReset,
  addSaves,
  addServer,
  addSync,
  addWorker,
} from './client/rows/behind.js';
import { addRecovery, addRunControls, addSteering } from './client/rows/control.js';
import { addCompletion, addHelp } from './client/rows/help.js';
import { addReport } from './client/rows/inspect.js';
import { collect, json, whole } from './client/rows/options.js';
import { addTriage } from './client/rows/triage.js';
import type { StatusOptions } from './client/views/status-list.js';
import { canShowScreen } from './client/views/terminal.js';
import { EXIT } from './protocol/user-error.js';
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
  .description('Runs coding agents unattended over a backlog until the work has landed.')
  .option('-C, --repo <dir>', 'repository to work on (default: the current folder)')
  .option('--no-pager', 'print long output at once, also in a terminal')
  .version(version(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'show this help')
  // Nearly all commands have options, so the list of commands leaves `[options]` out and fits 80 columns.
  .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
  .showHelpAfterError(wantsJson ? false : '(see --help)')
  // With --json the error is printed once, as JSON, by the handler at the end.
  .configureOutput(wantsJson ? { outputError: () => {} } : {})
  .exitOverride();

function run<Args extends unknown[]>(
  action: (context: Context, ...args: Args) => Promise<number>,
): (...args: [...Args, Record<string, unknown>, Command]) => Promise<void> {
  return async (...all) => {
    const command = all.at(-1) as Command;
    const args = all.slice(0, -1) as unknown as Args;
    const context = makeContext(command.optsWithGlobals());
    if (process.stdout.isTTY || process.stderr.isTTY) await prepareTerminal(command, context);
    process.exitCode = await action(context, ...args);
  };
}

/** They own the screen, or run for as long as they are wanted. */
const WITHOUT_PROGRESS = new Set(['top', 'worker', 'completion']);

/** A progress line, and a pager for long output. */
async function prepareTerminal(command: Command, { json: asJson, env }: Context): Promise<void> {
  const options = command.optsWithGlobals<{ pager?: boolean; follow?: boolean }>();
  let top = command;
  while (top.parent?.parent) top = top.parent;
  const [{ pagerOf, pageOutput }, { showProgress }] = await Promise.all([
    import('./client/pager.js'),
    import('./client/progress.js'),
  ]);
  const quiet = asJson || options.follow === true || WITHOUT_PROGRESS.has(top.name()) || env.TERM === 'dumb';
  if (process.stderr.isTTY && !quiet) showProgress(top.name());
  const pager = pagerOf(top.name(), { ...options, json: asJson }, env, process.stdout.isTTY);
  if (pager !== undefined) pageOutput(pager, env);
}

interface Startable {
  slots?: number;
}

program.commandsGroup('Setup:');

program
  .command('init')
  .summary('write a first ralphctl.yaml for this repository')
  .description('Inspects the project and writes a first ralphctl.yaml.')
  .option('--force', 'replace an existing file')
  .option('--dry-run', 'print the file and write nothing')
  .addOption(json)
  .action(
    run(async (context, options: object) => (await import('./client/commands/setup/init.js')).init(context, options)),
  );

program
  .command('doctor')
  .summary('check everything that a run needs; print fixes')
  .description('Checks everything that a run needs: agents, login, gate, repository, disk and server.')
  .option('--quick', 'skip the trial of set-up and gate in a fresh worktree')
  .option('--probe', 'ask each agent for one answer; costs a little')
  .addOption(json)
  .action(
    run(async (context, options: object) =>
      (await import('./client/commands/setup/doctor.js')).doctor(context, options),
    ),
  );

addConfig(program, run);
addBacklog(program, run);
addTriage(program, run);
addNotify(program, run);

program
  .command('demo')
  .summary('land a small backlog with a scripted agent; no key')
  .description('Lands a small backlog in a throw-away repository with a scripted agent. Needs no key.')
  .option('--keep <dir>', 'create the repository in this empty or new folder')
  .option('--chaos', 'kill worker and server during the run; everything lands all the same')
  .addOption(json)
  .action(
    run(async (context, options: object) => {
      const { demo } = await import('./client/commands/setup/demo.js');
      return demo(context, options);
    }),
  );

program.commandsGroup('Run:');

program
  .command('start')
  .argument('[backlog]', 'roadmap.md, an ideas file or a backlog of another tool (default: backlog in ralphctl.yaml)')
  .summary('start a run, or attach to the open run')
  .description('Starts a run, or attaches to the open run.')
  .addOption(format())
  .option('--agent <name>', 'agent for ideas that name none')
  .option('--slots <n>', 'number of agents that run at once', whole)
  .option('--target <branch>', 'branch to land on (default: the branch that is checked out)')
  .option('--gate <command>', 'quality command, repeatable; replaces the configured commands', collect)
  .option('--max-iterations <n>', 'iterations for ideas that set none', whole)
  .addOption(new Option('--mode <mode>', 'who starts ideas').choices(['autopilot', 'semi-auto', 'step']))
  .option('--again <idea>', 'run an idea again that is ticked or has landed, repeatable', collect)
  .option('--no-tick', 'do not tick landed ideas in the backlog')
  .option('--dry-run', 'print the order of the ideas and start nothing')
  .option('--detach', 'return as soon as the run has started')
  .option('--wait', 'stay attached while the run only waits for a person (default in a terminal)')
  .option('--no-wait', 'return with exit code 4 in that case (default without a terminal)')
  .option('--plain', 'print lines, also where the terminal can show the full screen')
  .option('--no-worker', 'start no worker on this host; others serve this project')
  .addOption(json)
  .action(
    run(async (context, backlog: string | undefined, options: Startable) => {
      const { start } = await import('./client/commands/run/start.js');
      return start(context, { ...options, ...(backlog === undefined ? {} : { backlog }) });
    }),
  );

program
  .command('enqueue')
  .argument('[backlog]', 'backlog to read (default: the one that the run started with)')
  .summary('add new ideas from the backlog to the open run')
  .description('Adds ideas to the open run that you wrote into the backlog after its start.')
  .addOption(format())
  .addOption(json)
  .action(
    run(async (context, file: string | undefined, options: BacklogOptions) =>
      (await import('./client/commands/run/enqueue.js')).enqueue(context, file, options.format),
    ),
  );

addRunControls(program, run);

program.commandsGroup('Inspect:');

program
  .command('top')
  .summary('open the full screen (also: ralphctl alone)')
  .description('Opens the full screen of the open run, or of the last run. Leaving it changes nothing.')
  .action(run(async (context) => (await import('./client/commands/inspect/top.js')).top(context)));

program
  .command('status')
  .summary('show what runs, what waits and what landed')
  .description('Shows what runs, what waits and what landed.')
  .option('--all', 'list every idea, in backlog order')
  .option('--page <n>', 'page of the list, 100 ideas per page', whole)
  .option('--only <status>', 'only ideas with this status, repeatable: pending, running, landed, failed, …', collect)
  .addOption(json)
  .action(
    run(async (context, options: StatusOptions) =>
      (await import('./client/commands/inspect/status.js')).status(context, options),
    ),
  );

program
  .command('why')
  .argument('<idea>')
  .summary('explain an idea’s state, score and blockers')
  .description('Explains the state of an idea: its cause, its agent runs, its score breakdown and its blockers.')
  .addOption(json)
  .action(run(async (context, idea: string) => (await import('./client/commands/inspect/why.js')).why(context, idea)));

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
      const { logs } = await import('./client/commands/inspect/logs.js');
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
  .addOption(new Option('--json', 'the default and only form'))
  .action(
    run(async (context, options: object) =>
      (await import('./client/commands/inspect/logs.js')).events(context, options),
    ),
  );

addLimits(program, run);
addBudget(program, run);

program.commandsGroup('Steer:');
addSteering(program, run);

program.commandsGroup('Recover:');
addRecovery(program, run);
addReset(program, run);
addSaves(program, run);
addSync(program, run);

program.commandsGroup('Internals:');
addServer(program, run);
addWorker(program, run);

program
  .command('version')
  .summary('show the versions of ralphctl, SDK and server')
  .description('Shows the versions of ralphctl, Node, the Temporal SDK and the server.')
  .addOption(json)
  .action(run(async (context) => (await import('./client/commands/internals/version.js')).showVersion(context)));

addCompletion(program, run);
addHelp(program, run);

function argumentError({ exitCode, message }: CommanderError): number {
  if (exitCode === 0) return EXIT.ok;
  if (wantsJson) printJson({ kind: 'error', message: message.replace(/^error: /, ''), exitCode: EXIT.usage });
  return EXIT.usage;
}

/** Runs the command line of this process and ends the process. */
export async function main(): Promise<never> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  if (process.argv[2] === COMPLETE) {
    const { complete } = await import('./client/completion/complete.js');
    await complete(program, process.argv.slice(3));
    await flushed(process.stdout);
    process.exit(EXIT.ok);
  }
  const bare =
    process.argv.length === 2 || (process.argv.length === 4 && /^(?:-C|--repo)$/.test(process.argv[2] ?? ''));
  if (bare && canShowScreen(process.env)) process.argv.push('top');
  try {
    await program.parseAsync();
  } catch (error) {
    // `--help` also throws this. It must not wait until the module for other errors has loaded.
    if (error instanceof CommanderError) process.exitCode = argumentError(error);
    else {
      const [{ explain }, { linked }] = await Promise.all([
        import('./client/output.js'),
        import('./client/views/links.js'),
      ]);
      process.exitCode = explain(error, wantsJson, (text) => linked(text, process.stderr));
    }
  }
  // Libraries may keep handles open, so the process exits by itself: every command has finished its work when it returns.
  // A slow reader of the output may not have finished. Unread output would be lost with the process.
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  if (process.stdout.isTTY) await (await import('./client/pager.js')).pagerClosed();
  process.exit(process.exitCode ?? EXIT.ok);
}
