/**
 * The commands of the group Setup.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import type { Command as Program } from 'commander';
import { addBacklog } from './backlog.js';
import { json, type Run } from './options.js';
import { addService } from './service.js';
import { addTriage } from './triage.js';

export function addSetup(program: Program, run: Run): void {
  program
    .command('init')
    .summary('write a first ralphctl.yaml for this repository')
    .description('Inspects the project and writes a first ralphctl.yaml.')
    .option('--force', 'replace an existing file')
    .option('--dry-run', 'print the file and write nothing')
    .addOption(json)
    .action(
      run(async (context, options: object) => (await import('../commands/setup/init.js')).init(context, options)),
    );

  program
    .command('doctor')
    .summary('check everything that a run needs; print fixes')
    .description('Checks everything that a run needs: agents, login, gate, repository, disk and server.')
    .option('--quick', 'skip the trial of set-up and gate in a fresh worktree')
    .option('--probe', 'ask each agent for one answer; costs a little')
    .addOption(json)
    .action(
      run(async (context, options: object) => (await import('../commands/setup/doctor.js')).doctor(context, options)),
    );

  addConfig(program, run);
  addBacklog(program, run);
  addTriage(program, run);
  addNotify(program, run);
  addService(program, run);

  program
    .command('demo')
    .summary('land a small backlog with a scripted agent; no key')
    .description('Lands a small backlog in a throw-away repository with a scripted agent. Needs no key.')
    .option('--keep <dir>', 'create the repository in this empty or new folder')
    .option('--chaos', 'kill worker and server during the run; everything lands all the same')
    .addOption(json)
    .action(
      run(async (context, options: object) => {
        const { demo } = await import('../commands/setup/demo.js');
        return demo(context, options);
      }),
    );
}

const configuration = () => import('../commands/setup/config.js');

function addConfig(program: Program, run: Run): void {
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

function addNotify(program: Program, run: Run): void {
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
