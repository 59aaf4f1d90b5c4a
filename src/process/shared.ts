/**
 * Processes that a git command may start and that serve all of the user's programs from then on: the master of shared
 * ssh connections, the cache of passwords, the agents of gpg and ssh.
 * Invariant: reads only. By their command lines: they carry the environment of whatever started them first. Only with
 * /proc; elsewhere none is known.
 */
import { readProc } from './table.js';

/** The segment after the project in the tokens of git commands. No idea and no run has such a name. */
export const GIT_CALL = '.git';

const AGENTS = new Set(['gpg-agent', 'scdaemon', 'keyboxd', 'dirmngr', 'ssh-agent', 'git-credential-cache--daemon']);

/** Exported for its test. */
export function isSharedCommand([program = '', first]: readonly string[]): boolean {
  // ssh writes over its command line: "ssh: /home/me/.ssh/socket [mux]".
  if (/^ssh: .* \[mux\]\s*$/.test(program)) return true;
  const name = program.slice(program.lastIndexOf('/') + 1);
  return AGENTS.has(name) || (name === 'git' && first === 'credential-cache--daemon');
}

export const isShared = (pid: number): boolean =>
  isSharedCommand(readProc(pid, 'cmdline')?.toString('utf8').split('\0') ?? []);
