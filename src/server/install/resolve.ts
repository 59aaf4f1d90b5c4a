/**
 * Finds, downloads or builds a `temporal` program.
 * Invariant: a returned program has run and printed its version. A program enters the cache by rename, whole and
 * verified. Only one process at a time downloads or builds.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../../process/lock.js';
import { archiveUrl, fetchArchive } from './archive.js';
import { buildWithGo, goInstallCommand } from './gobuild.js';
import { type Env, isExecutable, probeTemporal, which } from './probe.js';
import { isAcceptable, MINIMUM_CLI, PINNED_CLI, type TemporalVersion, whyTooOld } from './version.js';

export interface ResolvedBinary {
  path: string;
  source: 'configured' | 'path' | 'cache' | 'download' | 'go';
  version: TemporalVersion;
}

export interface ResolveOptions {
  env: Env;
  cacheRoot: string;
  onProgress: (line: string) => void;
}

const BUILD_WAIT_MS = 20 * 60_000;

/** Path of the cached program of the pinned version. */
export const cachedBinary = (cacheRoot: string): string =>
  join(cacheRoot, 'temporal', PINNED_CLI, process.platform === 'win32' ? 'temporal.exe' : 'temporal');

/**
 * Tries, in this order: `RALPHCTL_TEMPORAL_BIN`, PATH, cache, official download, Go.
 * @throws Error that lists the five ways, why each failed, and the command for it
 */
export async function resolveBinary(options: ResolveOptions): Promise<ResolvedBinary> {
  const found = (await configured(options)) ?? (await onPath(options)) ?? (await cached(options));
  if (found) return found;
  const { cacheRoot, onProgress } = options;
  return withLock(join(cacheRoot, 'temporal', `${PINNED_CLI}.lock`), () => obtain(options), {
    waitMs: BUILD_WAIT_MS,
    onWait: (owner) => onProgress(`waiting for process ${owner.pid}, which is fetching or building Temporal`),
  });
}

/** A person chose it, so ralphctl tries no other. */
async function configured({ env }: ResolveOptions): Promise<ResolvedBinary | undefined> {
  const path = env.RALPHCTL_TEMPORAL_BIN;
  if (!path) return undefined;
  const probe = await probeTemporal(path, env);
  if (probe.ok) return { path, source: 'configured', version: probe.version };
  throw new Error(
    `RALPHCTL_TEMPORAL_BIN=${path} is not a usable temporal program: ${probe.reason}. ` +
      'Set it to a program that answers "temporal --version", or unset it',
  );
}

async function onPath({ env, onProgress }: ResolveOptions): Promise<ResolvedBinary | undefined> {
  const path = await which('temporal', env);
  if (!path) return undefined;
  const probe = await probeTemporal(path, env);
  if (probe.ok && isAcceptable(probe.version)) return { path, source: 'path', version: probe.version };
  const reason = probe.ok ? whyTooOld(probe.version) : probe.reason;
  onProgress(`not using ${path}: ${reason}`);
  return undefined;
}

async function cached({ env, cacheRoot, onProgress }: ResolveOptions): Promise<ResolvedBinary | undefined> {
  const path = cachedBinary(cacheRoot);
  if (!(await isExecutable(path))) return undefined;
  const probe = await probeTemporal(path, env);
  if (probe.ok) return { path, source: 'cache', version: probe.version };
  onProgress(`${path} does not run (${probe.reason}); getting a new one`);
  return undefined;
}

/** Call with the lock held. Another process may have filled the cache meanwhile. */
async function obtain(options: ResolveOptions): Promise<ResolvedBinary> {
  const { env, cacheRoot, onProgress: say } = options;
  const ready = await cached(options);
  if (ready) return ready;
  const url = archiveUrl(PINNED_CLI, env);
  say(`downloading Temporal ${PINNED_CLI} from ${url}`);
  const download = await intoCache(options, 'download', (dir) => fetchArchive(url, dir, say, env));
  if ('path' in download) return download;
  say(`the download failed (${download.failed}); building it with Go instead`);
  const go = await which('go', env);
  if (!go) throw new Error(fiveWays(cacheRoot, url, download.failed, 'no "go" on PATH'));
  say(`building Temporal ${PINNED_CLI} with ${go}; this takes about four minutes the first time`);
  const built = await intoCache(options, 'go', (dir) => buildWithGo({ go, version: PINNED_CLI, dir, env, say }));
  if ('path' in built) return built;
  throw new Error(fiveWays(cacheRoot, url, download.failed, built.failed));
}

type Failed = { failed: string };

/** Runs `make` in a folder of its own, verifies the program and renames it into the cache. */
async function intoCache(
  { env, cacheRoot }: ResolveOptions,
  source: 'download' | 'go',
  make: (dir: string) => Promise<string>,
): Promise<ResolvedBinary | Failed> {
  const path = cachedBinary(cacheRoot);
  await mkdir(join(path, '..'), { recursive: true });
  const dir = await mkdtemp(join(cacheRoot, 'temporal', `${source}-`));
  try {
    const made = await make(dir);
    const probe = await probeTemporal(made, env);
    if (!probe.ok) return { failed: `the program does not run: ${probe.reason}` };
    await rename(made, path);
    return { path, source, version: probe.version };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const fiveWays = (cacheRoot: string, url: string, download: string, go: string): string =>
  [
    'ralphctl needs the "temporal" program and could not get it. Use any one of these:',
    '  1. use a Temporal that already runs:     export TEMPORAL_ADDRESS=host:7233',
    '  2. use a program that you have:          export RALPHCTL_TEMPORAL_BIN=/path/to/temporal',
    `  3. put it on PATH (${MINIMUM_CLI} or later):      brew install temporal`,
    `  4. the official download (failed: ${download})`,
    `       curl -fL '${url}' | tar -xz -C '${join(cachedBinary(cacheRoot), '..')}' temporal`,
    `  5. build it (failed: ${go})`,
    `       GOBIN='${join(cachedBinary(cacheRoot), '..')}' ${goInstallCommand(PINNED_CLI)}`,
  ].join('\n');
