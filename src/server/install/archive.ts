/**
 * Downloads the official archive of the `temporal` command line and unpacks the program.
 * Invariant: fails within seconds without a network, and within half a minute on a stalled one. Writes only into the
 * given folder.
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Env, plainEnv } from './probe.js';

const BASE_URL = 'https://temporal.download/cli/archive';
const CONNECT_MS = 5_000;
const STALL_MS = 30_000;

const platform = (): string => (process.platform === 'win32' ? 'windows' : process.platform);
const architecture = (): string => (process.arch === 'x64' ? 'amd64' : process.arch);

/** Address of the archive; `RALPHCTL_TEMPORAL_DOWNLOAD_URL` names a mirror of the folder. */
export function archiveUrl(version: string, env: Env): string {
  const base = (env.RALPHCTL_TEMPORAL_DOWNLOAD_URL || BASE_URL).replace(/\/+$/, '');
  return `${base}/v${version}?platform=${platform()}&arch=${architecture()}`;
}

/**
 * Downloads and unpacks `url` into `dir`.
 * @returns the path of the program. @throws Error saying what failed.
 */
export async function fetchArchive(url: string, dir: string, say: (line: string) => void, env: Env): Promise<string> {
  const abort = new AbortController();
  let reason = `no answer within ${CONNECT_MS / 1000} s`;
  let timer = setTimeout(() => abort.abort(), CONNECT_MS);
  const archive = join(dir, 'temporal.tar.gz');
  try {
    const response = await fetch(url, { signal: abort.signal, redirect: 'follow' });
    if (!response.ok || !response.body)
      throw new Error(`the server answered ${response.status} ${response.statusText}`);
    reason = `no data for ${STALL_MS / 1000} s`;
    const total = Number(response.headers.get('content-length') ?? 0);
    const meter = progress(total, say);
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    body.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), STALL_MS);
      meter(chunk.length);
    });
    await pipeline(body, createWriteStream(archive), { signal: abort.signal });
  } catch (error) {
    throw new Error(abort.signal.aborted ? reason : explain(error));
  } finally {
    clearTimeout(timer);
  }
  const program = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
  await promisify(execFile)('tar', ['-xzf', archive, '-C', dir, program], { env: plainEnv(env), timeout: 120_000 });
  return join(dir, program);
}

/** fetch() hides the cause ("fetch failed"); the cause says which host or port. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message;
}

const MEGABYTE = 1_000_000;
function progress(total: number, say: (line: string) => void): (bytes: number) => void {
  let got = 0;
  let told = performance.now();
  return (bytes) => {
    got += bytes;
    if (performance.now() - told < 2_000) return;
    told = performance.now();
    const of = total > 0 ? ` of ${Math.round(total / MEGABYTE)}` : '';
    say(`downloading the Temporal server: ${Math.round(got / MEGABYTE)}${of} MB`);
  };
}
