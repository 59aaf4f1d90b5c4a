/**
 * Writes what a finished job proves into the ledger, before anybody hears that the job is done: a job that was cut off
 * in between runs again, finds its work done, and writes the rest.
 */

import type { Draft } from '../../protocol/ledger.js';
import { readModel } from '../../run-files/read-model.js';
import { loadIdea } from '../../run-files/run.js';
import type { WorkDeps, WorkInput, WorkName, WorkResult } from '../job.js';
import { load } from '../load.js';
import { saidBy, wavePath } from '../waves/named.js';
import { appendOperations } from './append.js';
import {
  agentDraft,
  claimDraft,
  closingDrafts,
  commitDraft,
  gateDraft,
  landingDrafts,
  pushDrafts,
  undoDraft,
} from './drafts.js';
import { lookDrafts } from './pulls.js';
import { endedWaves, waveDrafts } from './waves.js';
import { withLogs, withWave } from './with-hashes.js';

type Noted = {
  [Name in WorkName]?: (
    deps: WorkDeps,
    input: WorkInput<Name>,
    result: WorkResult<Name>,
  ) => Promise<readonly (Draft | undefined)[]>;
};

const NOTED: Noted = {
  openRun: async (deps, input, { landed }) => {
    const done = new Set(landed);
    return [...(await load(deps, input)).ideas.values()]
      .filter(({ id, blue }) => !done.has(id) && !blue)
      .map(commitDraft);
  },
  // An idea that joined the run later has no plan in the ledger yet.
  prepareIdea: async ({ root }, input, result) => {
    const idea = await loadIdea(root, input, input.idea);
    return [idea && commitDraft(idea), claimDraft(input, result)];
  },
  planWave: async ({ root }, input, result) =>
    withWave(waveDrafts(input, result, await saidBy(root, input)), wavePath(root, input)),
  runAgent: async (_, input, result) => [await agentDraft(input, result)],
  runGate: (_, input, result) => withLogs([gateDraft(input, result)], result),
  landIdea: (_, input, result) => withLogs(landingDrafts(input, result), 'gate' in result ? result.gate : undefined),
  lookAtPull: (_, input, result) => Promise.resolve(lookDrafts(input, result)),
  pushTarget: (_, input, result) => Promise.resolve(pushDrafts(input, result)),
  undoIdea: (_, input, result) => Promise.resolve([undoDraft(input, result)]),
  closeRun: async ({ root }, input) => {
    const found = await readModel(root, { project: input.project, runId: input.runId });
    if (!found) return [];
    const waves = [...found.model.waves.values()];
    return [...endedWaves(input.runId, waves), ...closingDrafts(input, [...found.model.ideas.values()])];
  },
};

export async function noteJob<Name extends WorkName>(
  deps: WorkDeps,
  name: Name,
  input: WorkInput<Name>,
  result: WorkResult<Name>,
): Promise<void> {
  const drafts = (await NOTED[name]?.(deps, input, result)) ?? [];
  const operations = drafts.filter((draft) => draft !== undefined);
  if (operations.length > 0) await appendOperations(deps.root, input.project, operations);
}
