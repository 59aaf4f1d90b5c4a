/**
 * What an idea has cost since it began, for the text of its pull request: a later run continues the work of earlier ones.
 * Invariant: reads only. Work before its last landing belongs to that landing.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ideaDir, ledgerPath } from '../../config/paths.js';
import type { RunAgentResult } from '../../protocol/agent-run.js';
import { ChainReader } from '../../run-files/ledger.js';
import { listRuns } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { readResult } from '../agent-run/result.js';
import type { OpenInput } from './write-pull.js';

export async function effortOf(
  root: string,
  { project, runId }: Pick<RunFile, 'project' | 'runId'>,
  idea: string,
): Promise<Pick<OpenInput, 'runs' | 'dollars' | 'by'>> {
  const landed = (await landedIn(root, project, idea)) ?? '';
  const earlier = (await listRuns(root, project)).filter((one) => one < runId && one > landed);
  const results: RunAgentResult[] = [];
  let runs = 0;
  for (const one of [...earlier.reverse(), runId]) {
    const dir = ideaDir(root, project, one, idea);
    const names = (await readdir(dir).catch(() => [])).filter((name) => /^\d+$/.test(name)).sort();
    runs += names.length;
    for (const result of await Promise.all(names.map((name) => readResult(join(dir, name)))))
      if (result) results.push(result);
  }
  const dollars = results.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
  const by = results.flatMap(({ agent, model }) => (agent ? [model ? `${agent} (${model})` : agent] : []));
  return { runs, dollars, by: [...new Set(by)] };
}

/** The last run in which the idea landed. */
async function landedIn(root: string, project: string, idea: string): Promise<string | undefined> {
  let last: string | undefined;
  for await (const row of new ChainReader().read(ledgerPath(root, project)))
    if (row.op === 'submit' && row.pass === true && row.idea === idea) last = row.run;
  return last;
}
