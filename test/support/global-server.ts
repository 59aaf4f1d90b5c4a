/**
 * One embedded Temporal server for the whole test run, got the way users get it: through src/server. Tests that harm
 * the server make their own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { cacheRoot } from '../../src/config/paths.js';
import { ensureServer } from '../../src/server/embedded.js';
import { stopServer } from '../../src/server/stop.js';

declare module 'vitest' {
  interface ProvidedContext {
    stateRoot: string;
    address: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl-state-'));
  const server = await ensureServer({
    root,
    cacheRoot: cacheRoot(),
    // Collects garbage less often: many runs at once make much of it.
    env: { GOGC: '400', ...process.env },
    onProgress: (line) => console.log(line),
    ports: { grpc: 0, ui: 0 },
  });
  project.provide('stateRoot', root);
  project.provide('address', server.address);
  return async () => {
    await stopServer(root);
    await rm(root, { recursive: true, force: true });
  };
}
