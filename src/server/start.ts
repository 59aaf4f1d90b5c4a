/**
 * Starts one server process and waits until it serves.
 * Invariant: the server leads its own process group and session and inherits only the log file. When this function
 * throws, the process has ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { serverDir } from '../config/paths.js';
import { type Identity, identityOf, terminate } from '../process/identity.js';
import { EXIT, UserError } from '../protocol/user-error.js';
import { databasePath, HOST, type ServerPorts, serverLogPath } from './files.js';
import { serverArguments } from './flags.js';
import { isServing } from './health.js';
import { type Env, plainEnv } from './install/probe.js';
import { logTail, rotateStopped } from './log.js';
import { accepts } from './ports.js';

/** A cold disk may have to read a 200 MB binary first. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
/** A stack trace of the server has up to 20 KB, and the cause is before it. */
const OUTPUT_BYTES = 256 * 1024;

/** The server ended, or did not serve in time. */
export class ServerStartError extends UserError {
  constructor(
    what: string,
    /** The server's whole output at this start. */
    readonly output: string,
    log: string,
  ) {
    const fix = `Read all of it in ${log}, fix the cause, then check with: ralphctl doctor`;
    super(`${what}: ${mainError(output) || 'it printed nothing'}. ${fix}`, EXIT.unreachable, fix);
  }
  /** Another program took a port before the server started. */
  get portTaken(): boolean {
    return /address already in use|can't (?:set|use default) .*port/i.test(this.output);
  }
  /** The server's error about an unreadable database; undefined for any other error. */
  get databaseDamage(): string | undefined {
    return databaseDamage(this.output);
  }
}

/**
 * Errors about a file that is damaged or not a database. A full or read-only disk and a locked file do not count: they
 * are temporary, and the data is intact.
 */
const DAMAGE =
  /file is not a database|database disk image is malformed|malformed database schema|no such (?:table|column): \w+/i;

export const databaseDamage = (text: string): string | undefined => DAMAGE.exec(text)?.[0];

/** The first error among lines of JSON, stack traces and help texts; the last line when there is no error. */
function mainError(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    const { level, msg, error } = parsed(line);
    if (level === 'ERROR' || level === 'FATAL') return [msg, error].filter(Boolean).join(': ').slice(0, SHOWN);
  }
  return (lines.find((line) => /^(?:panic|error)/i.test(line)) ?? lines.at(-1) ?? '').slice(0, SHOWN);
}

const SHOWN = 500;

function parsed(line: string): { level?: string; msg?: string; error?: string } {
  try {
    return (JSON.parse(line) ?? {}) as { level?: string; msg?: string; error?: string };
  } catch {
    return {};
  }
}

export interface StartOptions {
  root: string;
  binary: string;
  ports: Required<ServerPorts>;
  env: Env;
}

/** Starts the server and resolves once it serves. @throws ServerStartError */
export async function startServer(options: StartOptions): Promise<Identity> {
  const { root, binary, ports, env } = options;
  const log = serverLogPath(root);
  await mkdir(serverDir(root), { recursive: true, mode: 0o700 });
  await rotateStopped(log);
  const output = await open(log, 'a', 0o600);
  const from = (await output.stat()).size;
  let child: ChildProcess;
  // The child has the mask of this moment: its database is for nobody else to read.
  const mask = process.umask(0o077);
  try {
    child = spawn(binary, serverArguments(databasePath(root), ports), {
      cwd: serverDir(root),
      env: plainEnv(env),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
  } finally {
    process.umask(mask);
    await output.close();
  }
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`cannot run ${binary}: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(`the Temporal server exited at its start (${signal ?? `exit code ${code}`})`),
    );
  });
  child.unref();
  const fail = async (what: string): Promise<never> => {
    throw new ServerStartError(what, await logTail(log, from, OUTPUT_BYTES), log);
  };
  const server = child.pid === undefined ? undefined : await identityOf(child.pid);
  if (!server) return fail(await ended);
  const waiting = new AbortController();
  const outcome = await Promise.race([ended, untilOurs(ports, waiting.signal)]);
  waiting.abort();
  if (outcome === true) return server;
  await terminate(server, 2_000);
  return fail(
    outcome || `the Temporal server (process ${server.pid}) did not serve within ${START_TIMEOUT_MS / 1000} s`,
  );
}

/**
 * Another Temporal may serve the gRPC port. Our server opens its HTTP port only after its own gRPC port, and no other
 * server has that HTTP port.
 */
async function untilOurs(ports: Required<ServerPorts>, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + START_TIMEOUT_MS;
  do {
    if (!(await untilServing(`${HOST}:${ports.grpc}`, end - performance.now(), signal))) return false;
    if (await accepts(ports.http)) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  } while (!signal.aborted);
  return false;
}

/** Polls until the frontend at `address` serves (true), or the time is over or `signal` aborts (false). */
export async function untilServing(address: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end && !signal?.aborted) {
    if (await isServing(address, 1_000)) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}
