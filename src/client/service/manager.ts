/**
 * What both service managers do for a project's service.
 * Invariant: their programs get no input and never ask; each call ends in time. Only a stop may take long, and never
 * before the manager has answered.
 */
import { execa } from 'execa';
import { shellWord } from '../../protocol/shell-words.js';
import { which } from '../../server/install/probe.js';
import type { ServiceSpec } from './systemd-unit.js';

export interface ServiceState {
  enabled: boolean;
  /** In the words of the manager. */
  active: string;
  running: boolean;
  failed: boolean;
  /** Why the manager cannot say anything of it, and the way to reach it. */
  unknown?: { why: string; fix: string } | undefined;
  /** One phrase; undefined: it never ran since the manager started. */
  lastExit?: string | undefined;
  /** Undefined: the manager knows no such thing. */
  lingering?: boolean | undefined;
}

export interface Manager {
  kind: 'systemd' | 'launchd';
  /** Phrase for people. */
  starts: string;
  nameOf(project: string): string;
  pathOf(project: string): string;
  /** @throws UserError when the manager cannot have it */
  textOf(spec: ServiceSpec): Promise<string>;
  /** @throws UserError that names the fix, when the manager cannot be reached */
  assertUsable(): Promise<void>;
  /**
   * Reads the unit again, enables it and starts it. A running service keeps what it began with: its agents are at work.
   * Returns the command that gives it the new settings; undefined when it has them. @throws UserError
   */
  activate(project: string, changed: boolean): Promise<string | undefined>;
  /** Stops and disables it. Problems are told in a phrase, because the files go all the same. */
  deactivate(project: string): Promise<string | undefined>;
  /** After the files are gone. */
  forget(project: string): Promise<void>;
  state(project: string): Promise<ServiceState>;
  /** The command that shows its output. */
  logsOf(project: string): string;
  startOf(project: string): string;
  /** Undefined: the manager knows no such thing. */
  linger?: Linger;
}

export interface Linger {
  state(): Promise<boolean | undefined>;
  /** Undefined: it is on now. Otherwise the reason why not. */
  turnOn(): Promise<string | undefined>;
  turnOff(): Promise<string | undefined>;
  command: string;
}

export interface Said {
  ok: boolean;
  stdout: string;
  /** The first line of an error, or why the program did not start. */
  problem: string;
  missing: boolean;
  /** The call that got no answer in time. */
  silent?: string | undefined;
}

/** Under a high load, too, a service manager says what it knows within a second or two. */
const ANSWER_MS = 10_000;
/** A stop takes as long as the service has for it. */
const STOP_MS = 100_000;

export type Ask = (program: string, ...args: string[]) => Promise<Said>;

/** Calls programs of this PATH. */
export const asking =
  (env: NodeJS.ProcessEnv, longestMs: number): Ask =>
  async (program, ...args) => {
    const path = await which(program, env);
    if (path === undefined) return { ok: false, stdout: '', problem: `${program} is not on PATH`, missing: true };
    const got = await execa(path, args, {
      ...{ env: { ...env, LC_ALL: 'C', SYSTEMD_PAGER: '', SYSTEMD_COLORS: '0' }, extendEnv: false, reject: false },
      ...{ stdin: 'ignore' as const, timeout: longestMs, forceKillAfterDelay: 1000 },
    });
    const said = String(got.stderr || got.stdout || got.shortMessage || '').trim();
    const problem = got.timedOut
      ? `${program} did not answer within ${longestMs / 1000} s`
      : said.split('\n')[0] || `${program} ended with exit code ${got.exitCode}`;
    const silent = got.timedOut ? [program, ...args].map(shellWord).join(' ') : undefined;
    return { ok: !got.failed, stdout: String(got.stdout ?? ''), problem, missing: false, silent };
  };

export interface Talk {
  ask: Ask;
  /** For what may take as long as a service takes to stop. */
  act: Ask;
}

/** Asks no program again that has not answered once: a command waits for it one time only. */
export function talking(env: NodeJS.ProcessEnv, answerMs = ANSWER_MS): Talk {
  const silent = new Map<string, Said>();
  const once =
    (ask: Ask): Ask =>
    async (program, ...args) => {
      const before = silent.get(program);
      if (before) return before;
      const said = await ask(program, ...args);
      if (said.silent !== undefined) {
        const problem = `${said.problem} (tried: ${said.silent})`;
        silent.set(program, { ...said, problem });
      }
      return silent.get(program) ?? said;
    };
  return { ask: once(asking(env, answerMs)), act: once(asking(env, STOP_MS)) };
}
