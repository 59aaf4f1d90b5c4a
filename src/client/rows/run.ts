/**
 * The commands of the group Run.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import { Option, type Command as Program } from 'commander';
import type { WaveOptions } from '../commands/run/run.js';
import type { BacklogOptions } from '../commands/setup/backlog.js';
import { format } from './backlog.js';
import { about, adding, collect, json, type Run, type Said, slotCount, tell, whole } from './options.js';

interface Startable {
  slots?: number;
}

export function addRun(program: Program, run: Run): void {
  const start = program
    .command('start')
    .argument('[backlog]', 'roadmap.md, an ideas file or a backlog of another tool (default: backlog in ralphctl.yaml)')
    .summary('start a run, or attach to the open run')
    .description('Starts a run, or attaches to the open run.')
    .addOption(format())
    .option('--slots <n>', 'number of agents that run at once', slotCount);
  workOptions(start)
    .addOption(new Option('--mode <mode>', 'who starts ideas').choices(['autopilot', 'semi-auto', 'step']))
    .option('--again <idea>', 'run an idea again that is ticked or has landed, repeatable', collect)
    .option('--no-tick', 'do not tick landed ideas in the backlog')
    .option('--dry-run', 'print the order of the ideas and start nothing');
  attachOptions(start).action(
    run(async (context, backlog: string | undefined, options: Startable) => {
      const { start } = await import('../commands/run/start.js');
      return start(context, { ...options, ...(backlog === undefined ? {} : { backlog }) });
    }),
  );

  const waves = program
    .command('run')
    .argument('[source]', 'github, gitlab, a file of bug reports, or a backlog (default: backlog in ralphctl.yaml)')
    .summary('triage the source, fix the best, begin again')
    .description(
      'Starts a run with waves, or attaches to the open one. Each wave reads and triages the whole source, and works on the best few.',
    )
    .addOption(format())
    .option('--max-waves <n>', 'maximum number of waves (default: waves.maxWaves, 5)', whole)
    .option('--batch-size <n>', 'maximum number of ideas in a wave (default: waves.batchSize, 5)', whole)
    .option('--slots <n>', 'number of agents that run at once (default: waves.slots, 1)', slotCount)
    .option('--confirm', 'pause after each wave and ask whether another one begins')
    .option('--no-confirm', 'begin the next wave without asking')
    .option('--no-tick', 'do not tick landed ideas in the backlog')
    .option('--dry-run', 'print what the first wave would take and start nothing');
  attachOptions(workOptions(waves)).action(
    run(async (context, source: string | undefined, options: WaveOptions) =>
      (await import('../commands/run/run.js')).runWaves(context, source, options),
    ),
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
        (await import('../commands/run/enqueue.js')).enqueue(context, file, options.format),
      ),
    );

  addRunControls(program, run);
}

function addRunControls(program: Program, run: Run): void {
  const add = adding(program);

  add(
    'pause [idea]',
    'finish running iterations, then hold',
    'Starts nothing new. Running iterations finish, then the run holds. With an idea, only that idea holds.',
  )
    .option('--now', 'end running agents now; ralphctl saves their work and does not charge their iterations')
    .action(
      run((context, idea: string | undefined, said: Said & { now?: boolean }) =>
        tell(context, { verb: said.now ? 'pause-now' : 'pause', ...about(idea) }, said),
      ),
    );
  add(
    'resume [idea]',
    'continue after a pause',
    'Continues a paused run. With an idea, continues it, or releases it to start again.',
  ).action(
    run((context, idea: string | undefined, said: Said) => tell(context, { verb: 'resume', ...about(idea) }, said)),
  );
  add(
    'stop [idea]',
    'finish running iterations, land, and end the run',
    'Ends the run. Running iterations finish, finished work lands, and the rest stays on its branches. With an idea, ends that idea at its next boundary.',
  ).action(
    run((context, idea: string | undefined, said: Said) => tell(context, { verb: 'stop', ...about(idea) }, said)),
  );
  add(
    'abort',
    'end the run at once; saves uncommitted changes',
    'Ends the run at once: agents and landing. ralphctl saves uncommitted changes, and nothing more lands.',
  ).action(run((context, said: Said) => tell(context, { verb: 'abort' }, said)));
}

/** What ideas run with. */
const workOptions = (command: Program): Program =>
  command
    .option('--agent <name>', 'agent for ideas that name none')
    .option('--target <branch>', 'branch to land on (default: the branch that is checked out)')
    .option('--gate <command>', 'quality command, repeatable; replaces the configured commands', collect)
    .option('--max-iterations <n>', 'iterations for ideas that set none', whole);

/** How the terminal stays with the run. */
const attachOptions = (command: Program): Program =>
  command
    .option('--detach', 'return as soon as the run has started')
    .option('--wait', 'stay attached while the run only waits for a person (default in a terminal)')
    .option('--no-wait', 'return with exit code 4 in that case (default without a terminal)')
    .option('--plain', 'print lines, also where the terminal can show the full screen')
    .option('--no-worker', 'start no worker on this host; others serve this project')
    .addOption(json);
