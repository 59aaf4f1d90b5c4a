/** What people said in the run before and what does not carry over: told at the start of the next one. Reads files only. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import type { Idea } from '../protocol/idea.js';
import type { RunSummary } from '../protocol/run.js';
import { knownIdeas, listRuns, loadRun } from '../runs/run-files.js';

const MOST_NAMED = 10;

/** `ideas`: of the run that begins; `landed`: ids that need no work any more. */
export async function leftBehind(
  root: string,
  project: string,
  runId: string,
  ideas: readonly Idea[],
  landed: ReadonlySet<string>,
): Promise<string[]> {
  const last = (await listRuns(root, project)).find((id) => id < runId);
  if (last === undefined) return [];
  const ref = { project, runId: last };
  const open = new Map(ideas.filter((idea) => !idea.done && !landed.has(idea.id)).map((idea) => [idea.id, idea]));
  const known = new Set(ideas.map((idea) => idea.id));
  const [given, all, summary] = await Promise.all([
    loadRun(root, ref).then((run) => new Set(run.ideas.keys())),
    knownIdeas(root, ref),
    readSummary(join(runDir(root, project, last), 'summary.json')),
  ]).catch(() => [new Set<string>(), new Set<string>(), undefined] as const);
  const abandoned = (summary?.notLanded ?? []).filter((one) => one.status === 'abandoned' && open.has(one.idea));
  const added = [...all].filter((id) => !given.has(id) && !known.has(id) && !landed.has(id));
  return [
    ...abandoned
      .slice(0, MOST_NAMED)
      .map(
        ({ idea }) =>
          `${idea} was abandoned in the last run and is tried again; leave it out with: ralphctl abandon ${idea}`,
      ),
    ...(added.length > 0
      ? [
          `the last run was given ${added.slice(0, MOST_NAMED).join(', ')} as well, which have not landed and are not in this backlog; add them with: ralphctl enqueue FILE`,
        ]
      : []),
  ];
}

const readSummary = (path: string): Promise<RunSummary | undefined> =>
  readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as RunSummary,
    () => undefined,
  );
