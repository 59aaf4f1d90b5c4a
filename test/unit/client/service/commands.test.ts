/** `service install|status|uninstall` with real files, and stand-ins for the service managers on PATH. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { install, status, uninstall } from '../../../../src/client/commands/setup/service.js';
import { serviceRun } from '../../../../src/client/commands/setup/service-run.js';
import { type Context, findProject } from '../../../../src/client/context.js';
import { launchdManager } from '../../../../src/client/service/launchd.js';
import { recordPath } from '../../../../src/client/service/record.js';
import { serviceStatus } from '../../../../src/client/service/status.js';
import { systemdManager } from '../../../../src/client/service/systemd.js';
import { projectDir } from '../../../../src/config/paths.js';
import { type Place, place, printed } from './stand-ins.js';

let here: Place;
beforeEach(async () => {
  here = await place('a b%c $d "e"');
});
afterEach(() => here?.dispose());

const user = userInfo().username;
const tools = (env = here.context.env) => ({ manager: systemdManager(env), program: here.cli });
const units = () => join(here.base, 'home', '.config', 'systemd', 'user');
const installed = (options = {}) => printed(() => install(here.context, options, tools()));
const told = () => printed(() => status(here.context, {}, tools()));
const removed = (options = {}) => printed(() => uninstall(here.context, options, tools()));
const projectId = async (): Promise<string> => (await findProject(here.context)).id;
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const filesOf = async (dir: string): Promise<string[]> => (await readdir(dir, { recursive: true })).sort();

describe('with systemd', () => {
  it('install writes the unit and 0600 variables, enables, starts and turns lingering on', async () => {
    here.context.env.ANTHROPIC_API_KEY = 'secret';
    const text = await installed({ env: ['ANTHROPIC_API_KEY'] });
    const name = `ralphctl-${await projectId()}.service`;
    const unit = join(units(), name);
    expect(await modeOf(unit)).toBe(0o644);
    expect(await readFile(unit, 'utf8')).not.toContain('secret');
    const variables = join(projectDir(here.context.root, await projectId()), 'service.env');
    expect(await modeOf(variables)).toBe(0o600);
    expect(await readFile(variables, 'utf8')).toContain('ANTHROPIC_API_KEY="secret"');
    expect(await modeOf(recordPath(here.context.root, await projectId()))).toBe(0o600);
    expect(text).toContain(`service ${name}: installed, enabled, inactive, dead`);
    expect(text).toContain('lingering  on');
    expect(text).toContain('last exit  exit code 0 at Fri 2026-11-27 09:00:00 UTC');
    expect(text).not.toContain('secret');
    const calls = await here.calls();
    const order = ['daemon-reload', `enable ${name}`, `start ${name}`].map((call) => `systemctl --user ${call}`);
    expect(calls.filter((call) => order.includes(call))).toEqual(order);
    expect(calls).toContain(`loginctl --no-ask-password enable-linger ${user}`);
    expect(await told()).toContain(`next: systemctl --user start ${name}`);
  });

  it('install again changes nothing, and updates what has changed', async () => {
    await installed();
    const before = await filesOf(here.base);
    const unit = join(units(), `ralphctl-${await projectId()}.service`);
    const text = await readFile(unit, 'utf8');
    await installed();
    expect(await filesOf(here.base)).toEqual(before);
    expect(await readFile(unit, 'utf8')).toBe(text);
    expect((await here.calls()).filter((call) => call.includes('enable-linger'))).toHaveLength(1);

    here.context.env.SYSTEMD_VERSION = '256';
    here.context.env.KEY = 'one';
    await installed({ env: ['KEY'] });
    expect(await readFile(unit, 'utf8')).toContain('RestartSteps');
    delete here.context.env.KEY;
    await installed();
    const variables = join(projectDir(here.context.root, await projectId()), 'service.env');
    expect(await readFile(variables, 'utf8')).toContain('KEY="one"');
  });

  it('install leaves a running service alone, and names the command that gives it new settings', async () => {
    await installed();
    here.context.env.ACTIVE = 'active';
    expect(await installed()).not.toContain('restart');
    here.context.env.KEY = 'new';
    const name = `ralphctl-${await projectId()}.service`;
    expect(await installed({ env: ['KEY'] })).toContain(`systemctl --user restart ${name}`);
    expect((await here.calls()).filter((call) => call.includes('restart'))).toEqual([]);
    expect(await told()).toContain('next: ralphctl status');
  });

  it('--print shows the unit and touches nothing', async () => {
    const text = await installed({ print: true });
    expect(text).toContain('[Service]');
    expect(existsSync(units())).toBe(false);
    expect(existsSync(here.context.root)).toBe(false);
    expect(await here.calls()).toEqual([`systemctl --version`, `systemctl --version`]);
  });

  it('uninstall removes exactly what install wrote', async () => {
    await mkdir(here.context.root);
    await mkdir(join(units(), 'default.target.wants'), { recursive: true });
    await mkdir(projectDir(here.context.root, await projectId()), { recursive: true });
    await mkdir(join(here.context.root, 'server'));
    const before = await filesOf(here.base);
    await installed();
    expect(await removed()).toContain('lingering is off again');
    expect((await filesOf(here.base)).filter((path) => path !== 'home/exit')).toEqual(before);
    expect(await here.calls()).toContain(`systemctl --user disable --now ralphctl-${await projectId()}.service`);
    expect(await told()).toContain('not installed\nnext: ralphctl service install');
    expect(await removed()).toContain('no service of');
  });

  it('uninstall leaves lingering on that was on before, or that others need', async () => {
    await writeFile(join(here.base, 'home', 'linger'), '');
    await installed();
    expect(await removed()).not.toContain('lingering');
    expect(existsSync(join(here.base, 'home', 'linger'))).toBe(true);
    await rm(join(here.base, 'home', 'linger'));
    await installed();
    await writeFile(join(units(), 'default.target.wants', 'other.service'), '');
    expect(await removed()).toContain(`lingering stays on, because other services use it. To turn it off: sudo`);
    expect(existsSync(join(here.base, 'home', 'linger'))).toBe(true);
  });

  it('uninstall leaves lingering on for timers and sockets of the user, too', async () => {
    await installed();
    await mkdir(join(units(), 'timers.target.wants'));
    await writeFile(join(units(), 'timers.target.wants', 'backup.timer'), '');
    expect(await removed()).toContain('lingering stays on');
    expect(existsSync(join(here.base, 'home', 'linger'))).toBe(true);
  });

  it('uninstall says so where a unit is there that this state folder does not know', async () => {
    await installed();
    await rm(here.context.root, { recursive: true });
    const unit = join(units(), `ralphctl-${await projectId()}.service`);
    await expect(removed()).rejects.toThrow(`${unit} exists, and ralphctl did not write it for this state folder`);
    expect(existsSync(unit)).toBe(true);
    expect(await removed({ force: true })).toContain(`removed\n  ${unit}`);
    expect(await removed({ force: true })).toContain('no service of');
  });

  it('takes only the id of a project for --project: it names files', async () => {
    await mkdir(units(), { recursive: true });
    await writeFile(join(units(), 'precious.service'), 'mine');
    for (const project of ['../precious', 'a/../../precious', '', 'A b'])
      for (const command of [
        uninstall,
        status,
        (context: Context, { project: id }: { project: string }) => serviceRun(context, id),
      ])
        await expect(command(here.context, { project, force: true }, tools())).rejects.toThrow('is no id of a project');
    expect(await filesOf(units())).toEqual(['precious.service']);
    expect(await here.calls()).toEqual([]);
  });

  it('works for a user without a name, as in many containers', async () => {
    const nameless = systemdManager(here.context.env, 4711, () => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    });
    const text = await printed(() => install(here.context, {}, { manager: nameless, program: here.cli }));
    expect(text).toContain('installed, enabled');
    expect(await here.calls()).toContain('loginctl --no-ask-password enable-linger 4711');
  });

  it('uninstall removes the files also where the manager does not answer', async () => {
    await installed();
    await here.program('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
    expect(await removed()).toContain('could not stop it: Failed to connect to bus');
    expect(await filesOf(units())).toEqual(['default.target.wants']);
  });

  it('a unit that a person changed, or that is of another state folder, stays without --force', async () => {
    await installed();
    const unit = join(units(), `ralphctl-${await projectId()}.service`);
    await writeFile(unit, `${await readFile(unit, 'utf8')}# mine\n`);
    await expect(installed()).rejects.toThrow('ralphctl service install --force');
    await expect(removed()).rejects.toThrow('ralphctl service uninstall --force');
    expect(await told()).toContain('was changed by somebody else');
    await installed({ force: true });
    expect(await readFile(unit, 'utf8')).not.toContain('# mine');
    await rm(recordPath(here.context.root, await projectId()));
    await expect(installed()).rejects.toThrow('did not write it for this state folder');
  });

  it('says what is missing, and how to fix it: no systemctl, no bus, no linger', async () => {
    await here.program('loginctl', '[ "$1" = show-user ] && echo no && exit; echo "Access denied" >&2; exit 1');
    const text = await installed();
    expect(text).toContain('warning: lingering could not be turned on: Access denied');
    expect(text).toContain(`next: sudo loginctl enable-linger ${user}`);

    await here.program('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
    await expect(installed()).rejects.toThrow(
      /does not answer: Failed to connect to bus: No medium found\. To reach it, log in with a session.*ralphctl service run.*--print/,
    );
    const unknown = await told();
    expect(unknown).toContain('its manager does not answer: Failed to connect to bus: No medium found');
    expect(unknown).toContain('next: log in with a session of your own');
    expect(unknown).not.toContain('not enabled');
    const bare = { ...here.context, env: { ...here.context.env, PATH: '/nowhere' } };
    await expect(install(bare, {}, tools(bare.env))).rejects.toThrow('systemctl is not on PATH. Install systemd');
  });

  it('waits once and not long for a manager that hangs, and says what was tried', async () => {
    await installed();
    const name = `ralphctl-${await projectId()}.service`;
    for (const program of ['systemctl', 'loginctl']) await here.program(program, 'exec sleep 600');
    const hung = () => ({ manager: systemdManager(here.context.env, 1000, undefined, 300), program: here.cli });
    const before = (await here.calls()).length;
    const text = await printed(() => status(here.context, {}, hung()));
    expect(text).toContain(
      `its manager does not answer: systemctl did not answer within 0.3 s (tried: systemctl --user show ${name} `,
    );
    expect(text).toContain('next: see whether it hangs: systemctl status user@1000.service');
    await expect(install(here.context, {}, hung())).rejects.toThrow(
      /does not answer: systemctl did not answer within 0\.3 s \(tried: systemctl --version\)\. See whether it hangs/,
    );
    const gone = await printed(() => uninstall(here.context, {}, hung()));
    expect(gone).toContain(
      'could not stop it: systemctl did not answer within 0.3 s (tried: systemctl --user show-env',
    );
    // Each of the three commands asks each program once.
    const calls = (await here.calls()).slice(before);
    expect(calls.filter((call) => call.startsWith('systemctl '))).toHaveLength(3);
    expect(existsSync(join(units(), name))).toBe(false);
  });

  it('sees a repository that moved, a Node that is gone, and a service whose repository is gone', async () => {
    await installed();
    const project = await projectId();
    const path = recordPath(here.context.root, project);
    const record = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    await writeFile(path, JSON.stringify({ ...record, node: '/old/node', program: '/old/cli.js' }));
    const text = await told();
    expect(text).toContain('it starts Node at /old/node, which is gone');
    expect(text).toContain('it starts /old/cli.js, which is gone');
    expect(text).toContain('next: ralphctl service install');
    await writeFile(path, JSON.stringify(record));

    // The project keeps its id where it has runs; here the folder alone moves.
    const elsewhere = `${here.repo} 2`;
    await rename(here.repo, elsewhere);
    const moved = await serviceStatus(here.context, tools(), project, join(elsewhere, '.git'));
    expect(moved.problems[0]?.what).toContain('has moved');
    const nobody = await printed(() => status(here.context, { project }, tools()));
    expect(nobody).toContain(`its repository ${here.repo} is gone`);
    here.context.cwd = elsewhere;
    expect(await told()).toContain(`→ ralphctl service uninstall --project ${project}`);
    expect(await removed({ project })).toContain('removed');
  });

  it('a failing service says so, with the command that shows why', async () => {
    await installed();
    await writeFile(join(here.base, 'home', 'exit'), 'ExecMainCode=1\nExecMainStatus=203\nResult=exit-code\n');
    Object.assign(here.context.env, { ACTIVE: 'activating', SUB: 'auto-restart' });
    const text = await told();
    expect(text).toContain('it fails (exit code 203)');
    expect(text).toContain(`next: journalctl --user -u ralphctl-${await projectId()}.service -n 50`);
  });
});

describe('with launchd', () => {
  const mac = () => ({
    manager: launchdManager(here.context.env, () => join(here.base, 'logs'), 501),
    program: here.cli,
  });

  it('install loads an agent of mode 0600, and uninstall removes it', async () => {
    here.context.env.KEY = 'a&b';
    const text = await printed(() => install(here.context, { env: ['KEY'] }, mac()));
    const label = `ralphctl.${await projectId()}`;
    const list = join(here.base, 'home', 'Library', 'LaunchAgents', `${label}.plist`);
    expect(await modeOf(list)).toBe(0o600);
    expect(await readFile(list, 'utf8')).toContain('a&amp;b');
    expect(text).toContain(`service ${label}: installed, enabled, not running`);
    expect(await here.calls()).toContain(`launchctl bootstrap gui/501 ${list}`);
    const calls = (await here.calls()).length;
    await printed(() => install(here.context, {}, mac()));
    expect((await here.calls()).slice(calls).filter((call) => /bootstrap|bootout/.test(call))).toEqual([]);

    here.context.env.STATE = 'running';
    here.context.env.KEY = 'other';
    expect(await printed(() => install(here.context, {}, mac()))).toContain('launchctl bootout gui/501/');
    await printed(() => uninstall(here.context, {}, mac()));
    expect(existsSync(list)).toBe(false);
    expect(await here.calls()).toContain(`launchctl bootout gui/501/${label}`);
  });

  it('prints a list without the values of variables', async () => {
    here.context.env.KEY = 'secret';
    const text = await printed(() => install(here.context, { env: ['KEY'], print: true }, mac()));
    expect(text).toContain('the value of KEY');
    expect(text).not.toContain('secret');
  });

  it('says what to do where nobody is logged in', async () => {
    await here.program(
      'launchctl',
      'echo "Bootstrap failed: 125: Domain does not support specified action" >&2; exit 125',
    );
    await expect(install(here.context, {}, mac())).rejects.toThrow('Log in on the Mac itself once');
  });
});
