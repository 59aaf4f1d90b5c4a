/** Finds programs on disk and asks for their Temporal version. Never through a shell. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { parseVersion, type TemporalVersion } from './version.js';

export type Env = Readonly<Record<string, string | undefined>>;

const PROBE_TIMEOUT_MS = 20_000;

/** First executable file called `name` on the PATH of `env`; relative PATH entries are skipped. */
export async function which(name: string, env: Env): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(dir)) continue;
    const path = join(dir, file);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

export type Probe = { ok: true; version: TemporalVersion } | { ok: false; reason: string };

/** Runs `<path> --version`. Never throws: a file that does not run, or prints something else, gives a reason. */
export function probeTemporal(path: string, env: Env): Promise<Probe> {
  return new Promise((resolve) => {
    const options = { env: plainEnv(env), timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' as const };
    execFile(path, ['--version'], options, (error, stdout, stderr) => {
      const version = parseVersion(stdout);
      if (version) return resolve({ ok: true, version });
      if (error) return resolve({ ok: false, reason: firstLine(stderr) || firstLine(error.message) });
      resolve({ ok: false, reason: `it printed "${firstLine(stdout)}" for --version` });
    });
  });
}

/**
 * The part of the environment that every program needs, and what bounds a Go program's memory: no Temporal settings, no
 * credentials.
 */
export function plainEnv(env: Env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = env[name];
    if (value) kept[name] = value;
  }
  return kept;
}

const KEPT = [
  ...['HOME', 'PATH', 'TMPDIR', 'TZ', 'LANG', 'USER', 'SYSTEMROOT', 'USERPROFILE', 'APPDATA'],
  ...['GOGC', 'GOMEMLIMIT'],
];

export const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 300) ?? '';
