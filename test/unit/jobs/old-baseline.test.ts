/** Outcomes of a base that an older version stored. Its names of tests had the place of their worktree. Features: B4. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { baselineDir } from '../../../src/config/paths.js';
import { configSchema } from '../../../src/config/schema/config.js';
import { gateCommands } from '../../../src/gate/run.js';
import { baselineOutcomes } from '../../../src/jobs/gate/baseline.js';
import type { LoadedRun } from '../../../src/run-files/run.js';
import { put, sh } from '../git/repo.js';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-old-')));
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

it('is measured again, so that a red base is not blamed on the idea', async () => {
  const [repo, root, project] = [join(dir, 'shop'), join(dir, 'state'), 'shop-11111111'];
  await put(repo, { 'test/price.test.mjs': "import './gone.mjs';\n" });
  await sh(repo, 'init', '-qb', 'main');
  await sh(repo, 'add', '.');
  await sh(repo, 'commit', '-qm', 'all');
  const config = configSchema.parse({ gate: { commands: [{ name: 'test', run: [process.execPath, '--test'] }] } });
  const tree = await sh(repo, 'rev-parse', 'HEAD^{tree}');
  const key = createHash('sha256')
    .update(JSON.stringify([3, gateCommands(config), config.setup.run]))
    .digest('hex');
  const stored = { exitCode: 1, failing: ['/old/integration/base-of-f5fbe6/test/price.test.mjs'] };
  await mkdir(baselineDir(root, project), { recursive: true });
  await writeFile(join(baselineDir(root, project), `${tree}-${key.slice(0, 16)}.json`), JSON.stringify(stored));
  const run = { file: { config, repo, project, runId: 'r', target: 'main' } } as LoadedRun;
  const base = await sh(repo, 'rev-parse', 'HEAD');
  const asked = { project, idea: 'tree-007', base, index: 0, signal: new AbortController().signal };
  const outcomes = await baselineOutcomes({ root, host: 'here', env: process.env }, run, asked);
  expect(outcomes).toMatchObject([{ exitCode: 1, failing: ['test/price.test.mjs'] }]);
});
