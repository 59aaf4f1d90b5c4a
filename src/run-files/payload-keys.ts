/**
 * The places of the keys that encrypt what Temporal stores of a project, from the configurations of its runs.
 * Reads no backlog: every command that talks to the server looks here.
 */
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import type { KeyPlace, Payloads } from '../config/schema/payloads.js';
import { readExisting } from '../config/stored.js';
import { lastRevision, readRevision } from './revisions.js';
import { listRuns } from './run.js';
import { RUN_FILE } from './shapes.js';

/** A key of a run that ended longer ago is not looked for. */
const MOST_RUNS = 100;

/** By file, which never changes. */
const known = new Map<string, Payloads | undefined>();

/** Undefined without a run, or where the run is of a version that had no such part. */
export async function newestPayloads(root: string, project: string): Promise<Payloads | undefined> {
  const [runId] = await listRuns(root, project);
  return runId === undefined ? undefined : payloadsOf(root, project, runId);
}

export const keysOfProject = (root: string, project: string) => ({
  newest: async (): Promise<readonly KeyPlace[]> => keysOf(await newestPayloads(root, project)),
  older: async (id: string): Promise<KeyPlace | undefined> => {
    const [, ...others] = await listRuns(root, project);
    for (const runId of others.slice(0, MOST_RUNS)) {
      const payloads = await payloadsOf(root, project, runId).catch(() => undefined);
      const found = keysOf(payloads).find((place) => place.id === id);
      if (found) return found;
    }
    return undefined;
  },
});

const keysOf = (payloads: Payloads | undefined): readonly KeyPlace[] => payloads?.encryption.keys ?? [];

async function payloadsOf(root: string, project: string, runId: string): Promise<Payloads | undefined> {
  const ref = { project, runId };
  const dir = runDir(root, project, runId);
  const revision = await lastRevision(root, ref);
  const name = `${dir}#${revision}`;
  if (known.has(name)) return known.get(name);
  const { config }: { config: { payloads?: Payloads } } =
    revision > 0 ? await readRevision(root, ref, revision) : await readExisting(join(dir, 'run.json'), RUN_FILE);
  known.set(name, config.payloads);
  return config.payloads;
}
