/** The agent and the model that worked on an idea last, for the trailers of its commits. Reads files only. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ideaDir } from '../../config/paths.js';
import { resolveAgent } from '../../config/resolve-agent.js';
import type { Config } from '../../config/schema.js';
import type { Worker } from '../../git/landing/message.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { WorkDeps } from '../deps.js';
import { readResult } from './result.js';

export async function whoWorked(deps: WorkDeps, ref: RunRef & { idea: string }, config: Config): Promise<Worker> {
  const dir = ideaDir(deps.root, ref.project, ref.runId, ref.idea);
  const names = await readdir(dir).catch(() => []);
  const runs = names.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  for (const name of runs) {
    const agent = (await readResult(join(dir, name)))?.agent;
    if (agent !== undefined) return workerOf(config, agent);
  }
  return {};
}

function workerOf(config: Config, agent: string): Worker {
  try {
    const { model } = resolveAgent(config, agent);
    return { agent, model };
  } catch {
    return { agent };
  }
}
