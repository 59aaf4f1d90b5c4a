/**
 * The places of the keys that encrypt what Temporal stores of a project, from the configurations of its runs.
 * Reads no backlog: every command that talks to the server looks here.
 */
import type { KeyObject } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import type { Encryption, KeyPlace, Payloads } from '../config/schema/payloads.js';
import { readExisting } from '../config/stored.js';
import { StoredFileError } from '../config/stored-error.js';
import { UserError } from '../protocol/user-error.js';
import { lastRevision, readRevision, revisionPath } from './revisions.js';
import { listRuns } from './run.js';
import { moveAway, RUN_FILE } from './shapes.js';

/** A key of a run that ended longer ago is not looked for. */
const MOST_RUNS = 100;

/** By file. A revision that the run did not take is gone, and its number free. */
const known = new Map<string, { file: string; payloads: Payloads | undefined }>();

/** Undefined without a run, or where the run is of a version that had no such part. */
export async function newestPayloads(root: string, project: string): Promise<Payloads | undefined> {
  const [runId] = await listRuns(root, project);
  return runId === undefined ? undefined : payloadsOf(root, project, runId);
}

export const keysOfProject = (root: string, project: string) => ({
  newest: async (): Promise<Encryption> => (await readable(root, project))?.encryption ?? { keys: [] },
  older: async (id: string): Promise<KeyPlace | undefined> => {
    const [, ...others] = await listRuns(root, project);
    for (const runId of others.slice(0, MOST_RUNS)) {
      const payloads = await payloadsOf(root, project, runId).catch(() => undefined);
      const found = keysOf(payloads).find((place) => place.id === id);
      if (found) return found;
    }
    return undefined;
  },
  /** The newest run whose configuration cannot be read: a key that is not found may be named there. */
  damage: async (id: string): Promise<UserError | undefined> => {
    for (const runId of (await listRuns(root, project)).slice(0, MOST_RUNS)) {
      const error: unknown = await payloadsOf(root, project, runId).then(
        () => undefined,
        (caught: unknown) => caught,
      );
      if (error !== undefined) return damagedRun(id, project, runDir(root, project, runId), error);
    }
    return undefined;
  },
  /** Something is encrypted with it. Without the note, a check knows less, and nothing else is lost. */
  encrypted: async (id: string, key: KeyObject): Promise<void> => {
    const { noteKey } = await import('./key-checks.js');
    await noteKey(root, project, id, key).catch(() => undefined);
  },
});

/** No command of ralphctl ends such a run: each reads what is encrypted first. */
function damagedRun(id: string, project: string, dir: string, error: unknown): UserError {
  const { message, fix = '' } = error as Error & { fix?: string };
  const what = error instanceof StoredFileError ? message.slice(0, -fix.length).trim() : `${message}.`;
  return new UserError(
    `a payload is encrypted with the key ${JSON.stringify(id)}, and the file that may name the place of this key cannot be read: ${what} Put the file back from a backup. Without one, end the run: temporal workflow terminate --reason damaged --query "RalphProject = '${project}'". Then move its folder away: ${moveAway(dir)}`,
  );
}

/** Of a run whose file is damaged nobody knows whether it encrypts: then what the run before it did counts. */
async function readable(root: string, project: string): Promise<Payloads | undefined> {
  let damage: unknown;
  for (const runId of (await listRuns(root, project)).slice(0, MOST_RUNS)) {
    try {
      return await payloadsOf(root, project, runId);
    } catch (error) {
      damage ??= error;
    }
  }
  if (damage === undefined) return undefined;
  throw damage;
}

const keysOf = (payloads: Payloads | undefined): readonly KeyPlace[] => payloads?.encryption.keys ?? [];

async function payloadsOf(root: string, project: string, runId: string): Promise<Payloads | undefined> {
  const ref = { project, runId };
  const revision = await lastRevision(root, ref);
  const path = revision > 0 ? revisionPath(root, ref, revision) : join(runDir(root, project, runId), 'run.json');
  const { ino = 0, mtimeMs = 0 } = (await stat(path).catch(() => undefined)) ?? {};
  const file = `${path}#${ino}-${mtimeMs}`;
  const before = known.get(runId);
  if (before?.file === file) return before.payloads;
  const { config }: { config: { payloads?: Payloads } } =
    revision > 0 ? await readRevision(root, ref, revision) : await readExisting(path, RUN_FILE);
  known.set(runId, { file, payloads: config.payloads });
  return config.payloads;
}
