/**
 * The system's program that keeps the machine awake, and how it ends with this process.
 * Invariant: it ends when this process ends, also by SIGKILL: systemd-inhibit runs a `cat` that reads a pipe of this
 * process, and caffeinate watches this process's id. systemd-inhibit runs its command once it has the lock.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { ATTEMPT_ENV } from '../protocol/names.js';

/** Program and arguments. `until`: the command that the lock lasts for; undefined: as long as this process. */
export function inhibitor(platform: NodeJS.Platform, why: string, until?: string): [string, ...string[]] | undefined {
  if (platform === 'darwin')
    return ['caffeinate', '-i', ...(until === undefined ? ['-w', String(process.pid)] : [until])];
  if (platform !== 'linux') return undefined;
  const command = until === undefined ? ['sh', '-c', 'echo && exec cat'] : [until];
  return ['systemd-inhibit', '--what=idle:sleep', '--mode=block', '--who=ralphctl', `--why=${why}`, ...command];
}

export interface Hold {
  /** The system has granted it, as far as its program tells. */
  granted(): boolean;
  /** Resolves to the reason when it has ended by itself. */
  lost: Promise<string>;
  release(): void;
}

const GRACE_MS = 2000;
/** Time to type a password. */
const ANSWER_MS = 120_000;
const MOST_SAID = 500;

/** The next worker of the project ends a hold that was left, by its token. */
export function hold(
  [program, ...args]: readonly [string, ...string[]],
  { env, project, answerMs = ANSWER_MS }: { env: NodeJS.ProcessEnv; project: string; answerMs?: number | undefined },
): Hold {
  // Rule 7 has an exception here: the open stdin is what ends it.
  const child: ChildProcess = spawn(program, args, {
    ...{ detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
    env: { ...env, [ATTEMPT_ENV]: `${project}/.awake` },
  });
  // caffeinate says nothing.
  let granted = program === 'caffeinate';
  child.stdout?.once('data', () => {
    granted = true;
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(0, MOST_SAID);
  });
  child.stdin?.on('error', () => undefined);
  child.unref();
  return {
    granted: () => granted,
    lost: new Promise((resolve) => {
      const noAnswer = setTimeout(() => {
        if (granted) return;
        resolve(`${program} did not answer within ${answerMs / 1000} s`);
        child.kill('SIGTERM');
      }, answerMs).unref();
      child.once('close', () => clearTimeout(noAnswer));
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(said.trim().split('\n')[0] || `it ended (${code ?? signal})`));
    }),
    release: () => {
      child.stdin?.end();
      if (program === 'caffeinate') child.kill('SIGTERM');
      else setTimeout(() => child.exitCode ?? child.kill('SIGTERM'), GRACE_MS).unref();
    },
  };
}
