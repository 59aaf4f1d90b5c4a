/**
 * The `ralphctl` program. Invariant: nothing heavy is imported here; a command loads its module when it is called, so that
 * `--help` answers at once.
 */
import { type Argument, Command, CommanderError } from 'commander';
import { COMPLETE } from './client/completion/scripts.js';
import { type Context, makeContext, printJson } from './client/context.js';
import { endWithReader, flushed } from './client/output.js';
import { addCommands } from './client/rows/all.js';
import { helpItem, LEAST_HELP } from './client/rows/help.js';
import { refuseEmptyValues } from './client/rows/options.js';
import { canShowScreen, forPeople } from './client/views/terminal.js';
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
  .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf, minWidthToWrap: LEAST_HELP, formatItem: helpItem })
  .showHelpAfterError(wantsJson ? false : '(see --help)')
  // With --json the error is printed once, as JSON, by the handler at the end.
  .configureOutput({
    writeOut: (text) => void process.stdout.write(forPeople(text, process.stdout)),
    writeErr: (text) => void process.stderr.write(forPeople(text, process.stderr)),
    ...(wantsJson ? { outputError: () => {} } : {}),
  })
  .exitOverride();

function run<Args extends unknown[]>(
  action: (context: Context, ...args: Args) => Promise<number>,
): (...args: [...Args, Record<string, unknown>, Command]) => Promise<void> {
  return async (...all) => {
    const command = all.at(-1) as Command;
    const args = all.slice(0, -1) as unknown as Args;
    refuseEmptyValues(command);
    const context = makeContext(command.optsWithGlobals());
    if (process.stdout.isTTY || process.stderr.isTTY) await prepareTerminal(command, context);
    process.exitCode = await action(context, ...args);
  };
}

/** They own the screen, or run for as long as they are wanted. */
const WITHOUT_PROGRESS = new Set(['top', 'worker', 'completion', 'service run', 'codec serve']);

/** A progress line, and a pager for long output. */
async function prepareTerminal(command: Command, { json: asJson, env }: Context): Promise<void> {
  const options = command.optsWithGlobals<{ pager?: boolean; follow?: boolean }>();
  let top = command;
  while (top.parent?.parent) top = top.parent;
  const [{ pagerOf, pageOutput }, { showProgress }] = await Promise.all([
    import('./client/pager.js'),
    import('./client/progress.js'),
  ]);
  const quiet =
    asJson ||
    options.follow === true ||
    [top.name(), `${top.name()} ${command.name()}`].some((name) => WITHOUT_PROGRESS.has(name)) ||
    env.TERM === 'dumb';
  if (process.stderr.isTTY && !quiet) showProgress(top.name());
  const pager = pagerOf(top.name(), { ...options, json: asJson }, env, process.stdout.isTTY);
  if (pager !== undefined) pageOutput(pager, env);
}

addCommands(program, run);

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
      const [{ explain }, { linked }, { withDisk }] = await Promise.all([
        import('./client/output.js'),
        import('./client/views/links.js'),
        import('./client/state-folder.js'),
      ]);
      const told = await withDisk(error, makeContext({}));
      process.exitCode = explain(told, wantsJson, (text) => linked(forPeople(text, process.stderr), process.stderr));
    }
  }
  // Libraries may keep handles open, so the process exits by itself: every command has finished its work when it returns.
  // A slow reader of the output may not have finished. Unread output would be lost with the process.
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  if (process.stdout.isTTY) await (await import('./client/pager.js')).pagerClosed();
  process.exit(process.exitCode ?? EXIT.ok);
}
