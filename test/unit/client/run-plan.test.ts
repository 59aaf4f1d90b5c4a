/** What a run is planned with. Features: F1, B1. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planRun } from '../../../src/client/plan/run-plan.js';
import { commitFiles, makeRepo, put, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
  await commitFiles(
    repo.root,
    {
      'roadmap.md':
        '# R\n\n- [ ] **a-1**: Do it\n  - ralph: true\n- [ ] **a-2**: Do it too\n  - ralph: true\n  - max_iterations: 7\n',
    },
    'plan',
  );
});
afterEach(() => repo.remove());

it.each([
  ['nothing said: 30', '', {}, [30, 7]],
  ['said in the configuration', 'maxIterations: 12\n', {}, [12, 7]],
  ['said in the configuration, and the same as the default', 'maxIterations: 50\n', {}, [50, 7]],
  ['said on the command line', 'maxIterations: 50\n', { maxIterations: 3 }, [3, 7]],
])('iterations of roadmap tasks: %s', async (_, config, flags, expected) => {
  await put(repo.root, { 'ralphctl.yaml': `version: 1\nagent: scripted\n${config}` });
  const context = {
    cwd: repo.root,
    root: join(repo.scratch, 'state'),
    cacheRoot: repo.scratch,
    env: process.env,
    json: false,
  };
  const { ideas, config: planned } = await planRun(context, flags);
  expect(ideas.map(({ maxIterations }) => maxIterations ?? planned.maxIterations)).toEqual(expected);
});
