/** systemd's user manager, through systemctl and loginctl. */
import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { type Ask, type Linger, type Manager, type Said, type ServiceState, talking } from './manager.js';
import { systemdUnit, unitName, unitProblem } from './systemd-unit.js';

const SESSION = 'log in with a session of your own (ssh or a console, not su or sudo)';
const PRINT = 'See the unit: ralphctl service install --print';
const WITHOUT =
  'In a container, or without systemd, let its own supervisor call this after a boot: ralphctl service run';

/** `uid`: of the user whose manager it is. `nameOfUser` may throw. `answerMs`: how long it may take to say something. */
export function systemdManager(
  env: NodeJS.ProcessEnv,
  uid = process.getuid?.() ?? 0,
  nameOfUser: () => string = () => userInfo().username,
  answerMs?: number,
): Manager {
  const { ask, act } = talking(withRuntimeFolder(env, uid), answerMs);
  const linger = lingerOf(ask, userOf(uid, nameOfUser));
  const user = (...args: string[]) => ask('systemctl', '--user', ...args);
  const answers = () => user('show-environment');
  const failed = (what: string, why: string, project: string): UserError => {
    const fix = `See why: ${logs(project)}`;
    return new UserError(`systemd could not ${what} ${unitName(project)}: ${why}. ${fix}`, EXIT.usage, fix);
  };
  return {
    kind: 'systemd',
    starts: 'with the machine',
    nameOf: unitName,
    pathOf: (project) => join(unitFolder(env), unitName(project)),
    textOf: async (spec) => {
      const problem = unitProblem(spec);
      if (problem !== undefined) throw new UserError(`systemd cannot read ${problem}. Use another RALPHCTL_HOME`);
      return systemdUnit({ ...spec, systemd: await versionOf(ask) });
    },
    assertUsable: async () => {
      const said = await answers();
      if (!said.ok) throw unusable(said, linger, uid);
    },
    activate: async (project, changed) => {
      const name = unitName(project);
      const reload = await user('daemon-reload');
      if (!reload.ok) throw failed('reload the units for', reload.problem, project);
      const enable = await user('enable', name);
      if (!enable.ok) throw failed('enable', enable.problem, project);
      const { running } = await stateOf(user, name, uid);
      if (running) return changed ? `systemctl --user restart ${name}` : undefined;
      const start = await act('systemctl', '--user', 'start', name);
      if (!start.ok) throw failed('start', start.problem, project);
      return undefined;
    },
    deactivate: async (project) => {
      const there = await answers();
      if (there.silent !== undefined) return there.problem;
      const said = await act('systemctl', '--user', 'disable', '--now', unitName(project));
      return said.ok ? undefined : said.problem;
    },
    forget: async (project) => {
      await user('daemon-reload');
      await user('reset-failed', unitName(project));
    },
    state: async (project) => {
      const [state, lingering] = await Promise.all([stateOf(user, unitName(project), uid), linger.state()]);
      return { ...state, lingering };
    },
    logsOf: logs,
    startOf: (project) => `systemctl --user start ${unitName(project)}`,
    linger,
  };
}

const logs = (project: string): string => `journalctl --user -u ${unitName(project)} -n 50`;

export const unitFolder = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'systemd', 'user');

/** What enabling creates; for an uninstall that cannot reach the manager. */
export const wantedBy = (env: NodeJS.ProcessEnv, project: string): string =>
  join(unitFolder(env), 'default.target.wants', unitName(project));

/** Shells of `su`, `sudo` and cron lack the variable, although the manager runs. */
function withRuntimeFolder(env: NodeJS.ProcessEnv, uid: number): NodeJS.ProcessEnv {
  const folder = `/run/user/${uid}`;
  return env.XDG_RUNTIME_DIR || !existsSync(folder) ? env : { ...env, XDG_RUNTIME_DIR: folder };
}

/** It is there, and hangs: another session reaches it no better. */
const whenSilent = (uid: number): string =>
  `see whether it hangs: systemctl status user@${uid}.service; then try again`;

function unusable({ problem, missing, silent }: Said, linger: Linger, uid: number): UserError {
  const fix = missing
    ? `Install systemd. ${WITHOUT}. ${PRINT}`
    : silent !== undefined
      ? `${capital(whenSilent(uid))}. ${WITHOUT}. ${PRINT}`
      : `To reach it, ${SESSION}, or turn lingering on first: ${linger.command}. ${WITHOUT}. ${PRINT}`;
  const what = missing ? problem : `the user manager of systemd does not answer: ${problem.replace(/\.$/, '')}`;
  return new UserError(`no service can be installed here: ${what}. ${fix}`, EXIT.usage, fix);
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

async function versionOf(ask: Ask): Promise<number | undefined> {
  const found = /^systemd (\d+)/.exec((await ask('systemctl', '--version')).stdout)?.[1];
  return found === undefined ? undefined : Number(found);
}

const PROPERTIES =
  'LoadState,UnitFileState,ActiveState,SubState,Result,ExecMainCode,ExecMainStatus,ExecMainExitTimestamp';

async function stateOf(
  user: (...args: string[]) => ReturnType<Ask>,
  name: string,
  uid: number,
): Promise<Omit<ServiceState, 'lingering'>> {
  const said = await user('show', name, `--property=${PROPERTIES}`);
  if (!said.ok) {
    const fix = said.missing ? 'install systemd' : said.silent !== undefined ? whenSilent(uid) : SESSION;
    const unknown = { why: said.problem.replace(/\.$/, ''), fix };
    return { enabled: false, active: 'state unknown', running: false, failed: false, unknown };
  }
  const values = new Map(
    said.stdout.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  );
  const of = (key: string): string => values.get(key) ?? '';
  const active = of('ActiveState');
  return {
    enabled: of('UnitFileState') === 'enabled',
    active: [active, of('SubState')].filter(Boolean).join(', '),
    running: active === 'active' || active === 'reloading',
    failed: active === 'failed' || of('SubState') === 'auto-restart',
    lastExit: exitWords(of('ExecMainCode'), of('ExecMainStatus'), of('ExecMainExitTimestamp'), of('Result')),
  };
}

/** As in wait(2): 1 exited, 2 killed, 3 dumped core. */
function exitWords(code: string, status: string, at: string, result: string): string | undefined {
  const when = at ? ` at ${at}` : '';
  if (code === '1') return `exit code ${status}${when}`;
  if (code === '2' || code === '3') return `ended by signal ${status}${when}`;
  return result === 'success' || result === '' ? undefined : `did not start (${result})`;
}

/** Users of containers often have a number only, which loginctl takes, too. */
function userOf(uid: number, nameOfUser: () => string): string {
  try {
    return nameOfUser();
  } catch {
    return String(uid);
  }
}

function lingerOf(ask: Ask, username: string): Linger {
  const set = async (verb: string): Promise<string | undefined> => {
    const said = await ask('loginctl', '--no-ask-password', verb, username);
    return said.ok ? undefined : said.problem;
  };
  return {
    state: async () => {
      const said = await ask('loginctl', 'show-user', username, '--property=Linger', '--value');
      if (said.ok) return said.stdout.trim() === 'yes';
      // logind answers only about users who are logged in or linger.
      return /not logged in/i.test(said.problem) ? false : undefined;
    },
    turnOn: () => set('enable-linger'),
    turnOff: () => set('disable-linger'),
    command: `sudo loginctl enable-linger ${username}`,
  };
}
