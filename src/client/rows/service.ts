/** `ralphctl service`. Invariant: imports nothing heavy; a command loads its module when it is called. */
import { Option, type Command as Program } from 'commander';
import { json, type Run } from './options.js';

const commands = () => import('../commands/setup/service.js');

const project = (): Option => new Option('--project <id>', 'project (default: the project of this repository)');

export function addService(program: Program, run: Run): void {
  const service = program
    .command('service')
    .summary('go on with an open run after a reboot')
    .description('Manages a service of systemd or launchd that goes on with an open run after a reboot.');
  service
    .command('install')
    .description('install and enable the service of this project, or update it')
    .option('--env <names...>', 'variables of this shell that the service gets, too, such as API keys')
    .option('--print', 'print the unit and change nothing')
    .option('--force', 'replace a unit that ralphctl did not write, or that was changed')
    .addOption(json)
    .action(run(async (context, options: object) => (await commands()).install(context, options)));
  service
    .command('status', { isDefault: true })
    .description('show whether it is installed, enabled and active, and what to do next')
    .addOption(project())
    .addOption(json)
    .action(run(async (context, options: object) => (await commands()).status(context, options)));
  service
    .command('uninstall')
    .description('stop the service, and remove what install wrote')
    .option('--force', 'remove a unit that ralphctl did not write, or that was changed')
    .addOption(project())
    .addOption(json)
    .action(run(async (context, options: object) => (await commands()).uninstall(context, options)));
  service
    .command('run')
    .description('go on with the open run in the foreground, and end when none is open: what the service calls')
    .addOption(project())
    .action(
      run(async (context, options: { project?: string }) =>
        (await import('../commands/setup/service-run.js')).serviceRun(context, options.project),
      ),
    );
}
