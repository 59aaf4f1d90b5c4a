/** Runs that are in files only: the plan of a repository, and what a run told of it. */
import { join } from 'node:path';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { EventWriter } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { makeRepo, type TestRepo } from '../git/repo.js';

export const RUN_ID = '20260101-000000-aaaa';

export const contextOf = (repo: TestRepo, json: boolean) => ({
  ...{ cwd: repo.root, root: join(repo.scratch, 'state'), cacheRoot: repo.scratch },
  ...{ env: process.env, json },
});

/** With a backlog of the one idea i-1. `more`: further lines of the configuration. */
export const repoOfOne = (more = ''): Promise<TestRepo> =>
  makeRepo({
    'roadmap.md': '- [ ] **i-1**: Do it\n',
    'ralphctl.yaml': `version: 1\nagent: scripted\n${more}`,
    '.ralph-script.yaml': 'default: []\n',
  });

/** Gives the id of the project. */
export async function planned(
  context: ReturnType<typeof contextOf>,
  { runId = RUN_ID, ...options }: { runId?: string; target?: string } = {},
): Promise<string> {
  const plan = await planRun(context, options);
  await writeRun(context.root, runFile(plan, runId), plan.ideas);
  return plan.project.id;
}

/** The events of the planned run of one idea, between its beginning and its end, a millisecond apart. */
export async function toldRun(
  { root }: { root: string },
  project: string,
  state: 'completed' | 'stopped',
  events: readonly RunEvent[],
): Promise<void> {
  const writer = new EventWriter(root, () => {});
  const counts = { landed: 0, total: 1 };
  const told: RunEvent[] = [{ kind: 'run', state: 'running', ...counts }, ...events, { kind: 'run', state, ...counts }];
  for (const [at, event] of told.entries()) writer.write({ project, runId: RUN_ID }, event, 1000 + at);
  await writer.flush();
}
