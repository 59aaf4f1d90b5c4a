/**
 * Builds the `temporal` command line from the Go module proxy. It builds the pinned version only: later ones have a
 * replace directive in go.mod, which `go install module@version` refuses.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Env } from './probe.js';

const MODULE = 'github.com/temporalio/cli';
const TICK_MS = 5_000;
const TAIL_LINES = 15;

/** A plain `go install` reports the version "0.0.0-DEV". Nobody debugs this binary, so it needs no symbols. */
const linkerFlags = (version: string): string => `-s -w -X ${MODULE}/temporalcli.Version=${version}`;

/** The command that a person types for the same result. */
export const goInstallCommand = (version: string): string => `go install ${MODULE}/cmd/temporal@v${version}`;

export interface GoBuildOptions {
  go: string;
  version: string;
  /** Path of the built program. */
  dir: string;
  env: Env;
  say: (line: string) => void;
}

/**
 * Builds the program and returns its path.
 * @throws Error with the end of the compiler's output
 */
export async function buildWithGo({ go, version, dir, env, say }: GoBuildOptions): Promise<string> {
  const args = ['install', '-v', '-ldflags', linkerFlags(version), `${MODULE}/cmd/temporal@v${version}`];
  // A GOOS or GOFLAGS of the user's own project would break this build.
  const { GOOS, GOARCH, GOFLAGS, ...inherited } = env;
  const child = spawn(go, args, { cwd: dir, env: { ...inherited, GOBIN: dir }, stdio: ['ignore', 'ignore', 'pipe'] });
  const started = performance.now();
  const tail: string[] = [];
  let modules = 0;
  let packages = 0;
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    if (line.startsWith('go: downloading ')) modules++;
    else packages++;
  });
  const ticker = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    const fetched = modules > 0 ? `, ${modules} modules downloaded` : '';
    say(`building Temporal ${version} with Go: ${seconds} s${fetched}, ${packages} packages compiled`);
  }, TICK_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`${goInstallCommand(version)} failed (exit ${code}):\n${tail.join('\n')}`);
  } finally {
    clearInterval(ticker);
  }
  return join(dir, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
}
