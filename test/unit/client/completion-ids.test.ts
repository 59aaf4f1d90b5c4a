/** Values that completion offers: ids without landed ideas, and nothing that makes Tab wait. Features: C5, F5. */
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { agents, branches, ideaIds, openIdeaIds } from '../../../src/client/completion/values.js';
import { runDir } from '../../../src/config/paths.js';
import { projectName } from '../../../src/git/project-name.js';
import { makeRepo, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await repo.remove();
});

it('leaves out what has landed, and offers it again after a rollback', async () => {
  const state = join(repo.root, '.state');
  vi.stubEnv('RALPHCTL_HOME', state);
  const dir = runDir(state, projectName(join(repo.root, '.git')), '20261122-100000');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'backlog.json'), JSON.stringify([{ id: 'a-1' }, { id: 'b-2' }, { id: 'c-3' }]));
  // Without events, nothing is known to have landed.
  expect(await openIdeaIds(repo.root)).toEqual(['a-1', 'b-2', 'c-3']);
  const line = (idea: string, status: string) => JSON.stringify({ at: '', kind: 'idea', idea, title: idea, status });
  const lines = [
    line('a-1', 'landed'),
    line('b-2', 'landed'),
    line('b-2', 'pending'),
    line('c-3', 'blocked'),
    '{"kind',
  ];
  await writeFile(join(dir, 'events.jsonl'), lines.join('\n'));
  expect(await openIdeaIds(repo.root)).toEqual(['b-2', 'c-3']);
  expect(await ideaIds(repo.root)).toEqual(['a-1', 'b-2', 'c-3']);
});

it('F5: waits on no pipe', async () => {
  const state = join(repo.root, '.state');
  vi.stubEnv('RALPHCTL_HOME', state);
  const dir = runDir(state, projectName(join(repo.root, '.git')), '20261122-100000');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'backlog.json'), JSON.stringify([{ id: 'a-1' }]));
  const pipes = [join(dir, 'events.jsonl'), join(repo.root, 'ralphctl.yaml'), join(repo.root, '.git/packed-refs')];
  for (const path of pipes) await rm(path, { force: true });
  execFileSync('mkfifo', pipes);
  expect(await openIdeaIds(repo.root)).toEqual(['a-1']);
  expect(await agents(repo.root)).toContain('claude');
  expect(await branches(repo.root)).toEqual(['main']);
});
