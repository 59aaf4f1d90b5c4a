/** launchd, through launchctl: an agent of the user, which runs while the user is logged in. Never run on a Mac. */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { shellWord } from '../../protocol/shell-words.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { agentLabel, launchdPlist, plistProblem } from './launchd-plist.js';
import { type Manager, talking } from './manager.js';

/** `logs`: folder of a project's output. */
export function launchdManager(
  env: NodeJS.ProcessEnv,
  logs: (project: string) => string,
  uid = process.getuid?.() ?? 0,
): Manager {
  const { ask, act } = talking(env);
  const domain = `gui/${uid}`;
  const pathOf = (project: string): string =>
    join(env.HOME || homedir(), 'Library', 'LaunchAgents', `${agentLabel(project)}.plist`);
  const target = (project: string): string => `${domain}/${agentLabel(project)}`;
  const logsOf = (project: string): string => `tail -n 50 ${shellWord(join(logs(project), 'service.log'))}`;
  return {
    kind: 'launchd',
    starts: 'when you log in',
    nameOf: agentLabel,
    pathOf,
    textOf: (spec) => {
      const problem = plistProblem(spec);
      if (problem !== undefined) return Promise.reject(new UserError(`${problem}. Use other paths and values`));
      return Promise.resolve(launchdPlist(spec));
    },
    assertUsable: async () => {
      const said = await ask('launchctl', 'print', domain);
      if (said.ok) return;
      const fix = said.missing
        ? 'It belongs to macOS: see /bin/launchctl. See the file: ralphctl service install --print'
        : said.silent !== undefined
          ? 'Try again. See the file: ralphctl service install --print'
          : 'Log in on the Mac itself once, then install again. See the file: ralphctl service install --print';
      throw new UserError(
        `no service can be installed here: ${said.problem.replace(/\.$/, '')}. ${fix}`,
        EXIT.usage,
        fix,
      );
    },
    activate: async (project, changed) => {
      await mkdir(logs(project), { recursive: true });
      const { ok: loaded, stdout } = await ask('launchctl', 'print', target(project));
      if (loaded && !changed) return undefined;
      const load = ['launchctl', 'bootstrap', domain, pathOf(project)] as const;
      // A loaded agent keeps its old list until it is loaded again, which ends it.
      const unload = ['launchctl', 'bootout', target(project)] as const;
      if (loaded && stateIn(stdout) === 'running') return `${unload.join(' ')}; ${load.map(shellWord).join(' ')}`;
      if (loaded) await act(...unload);
      await ask('launchctl', 'enable', target(project));
      const said = await ask(...load);
      if (said.ok) return undefined;
      const fix = `See why: ${logsOf(project)}`;
      throw new UserError(`launchd could not load ${pathOf(project)}: ${said.problem}. ${fix}`, EXIT.usage, fix);
    },
    deactivate: async (project) => {
      const found = await ask('launchctl', 'print', target(project));
      if (!found.ok) return found.silent === undefined ? undefined : found.problem;
      const said = await act('launchctl', 'bootout', target(project));
      return said.ok ? undefined : said.problem;
    },
    forget: () => Promise.resolve(),
    state: async (project) => {
      const said = await ask('launchctl', 'print', target(project));
      const off = (await ask('launchctl', 'print-disabled', domain)).stdout;
      const disabled = new RegExp(`"${agentLabel(project)}" => (?:true|disabled)`).test(off);
      if (said.silent !== undefined) {
        const unknown = { why: said.problem, fix: 'try again' };
        return { enabled: false, active: 'state unknown', running: false, failed: false, unknown };
      }
      if (!said.ok) return { enabled: false, active: 'not loaded', running: false, failed: false };
      const state = stateIn(said.stdout);
      const code = /^\s*last exit code = (\d+)/m.exec(said.stdout)?.[1];
      return {
        enabled: !disabled,
        active: state,
        running: state === 'running',
        failed: code !== undefined && code !== '0' && state !== 'running',
        lastExit: code === undefined ? undefined : `exit code ${code}`,
      };
    },
    logsOf,
    startOf: (project) => `launchctl kickstart ${target(project)}`,
  };
}

const stateIn = (printed: string): string => /^\s*state = (.+)$/m.exec(printed)?.[1] ?? 'unknown';
