/**
 * Real servers for these tests: each in a state root of its own, on free ports, with the program that src/server finds
 * or builds (kept in the user's cache, so the four minutes of a first build are paid once).
 */
import { cacheRoot } from '../../../src/config/paths.js';
import type { EnsureServerOptions } from '../../../src/server/embedded.js';
import { resolveBinary } from '../../../src/server/install/resolve.js';
import { stopServer } from '../../../src/server/stop.js';
import { remove, temporaryFolder } from '../../unit/server/program.js';

/** Time for a first build with Go, from an empty module cache. */
export const BUILD_MS = 900_000;

const roots: string[] = [];

/** Finds or builds the program before any test is timed. */
export async function provideServer(): Promise<void> {
  const onProgress = (line: string): void => console.log(line);
  await resolveBinary({ env: process.env, cacheRoot: cacheRoot(), onProgress });
}

export interface TestServer extends EnsureServerOptions {
  said: string[];
}

export async function freshOptions(): Promise<TestServer> {
  const root = await temporaryFolder();
  roots.push(root);
  const said: string[] = [];
  const onProgress = (line: string): void => void said.push(line);
  return { root, cacheRoot: cacheRoot(), env: process.env, onProgress, ports: { grpc: 0, ui: 0 }, said };
}

/** Stops every server that these options may have started, and removes the folders. */
export async function cleanUp(): Promise<void> {
  for (const root of roots.splice(0)) {
    await stopServer(root, 2_000);
    await remove(root);
  }
}
