/**
 * How long the embedded server keeps closed workflows. Projects share the server: the largest value that one of them
 * states counts, and the default for those that state none.
 * Invariant: never lowers a value that a person set, and none that another project needs.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { serverDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { channel } from './channel.js';
import { NAMESPACE, writeJson } from './files.js';

/** With Temporal's default of 24 hours, the ideas of a night leave the Web UI by the evening. */
export const DEFAULT_DAYS = 30;
const DAY = 86_400_000;
const DEADLINE_MS = 5000;

interface Kept {
  /** What ralphctl set last. */
  days: number;
  wanted: Record<string, number>;
}

const shape = z.looseObject({
  days: z.number(),
  wanted: z.record(z.string(), z.number()),
}) as unknown as z.ZodType<Kept>;

/** The value for all projects. `others`: there are projects that state none. Pure. */
export const daysFor = (wanted: Readonly<Record<string, number>>, others: boolean): number =>
  Math.max(...Object.values(wanted), ...(others ? [DEFAULT_DAYS] : []));

const notePath = (root: string): string => join(serverDir(root), 'history.json');

/** What ralphctl set last. */
export const historyDays = async (root: string): Promise<number> =>
  (await readNote(notePath(root), shape, 'skip').catch(() => undefined))?.days ?? DEFAULT_DAYS;

/** Loads modules of the SDK, which are slow to load: a bundler would hoist a static import to the program's start. */
export async function loadSdk(): Promise<{
  client: typeof import('@temporalio/client');
  time: typeof import('@temporalio/common/lib/time.js');
}> {
  const [client, time] = await Promise.all([import('@temporalio/client'), import('@temporalio/common/lib/time.js')]);
  return { client, time };
}

/** Never rejects: the Web UI's history is no reason to fail. */
export async function keepHistory(root: string, project: string, days: number, address: string): Promise<void> {
  const path = notePath(root);
  const before = (await readNote(path, shape, 'skip').catch(() => undefined)) ?? { days: DEFAULT_DAYS, wanted: {} };
  if ((before.wanted[project] ?? DEFAULT_DAYS) === days) return;
  const wanted = { ...before.wanted, [project]: days };
  const projects = await readdir(join(root, 'projects')).catch(() => []);
  const next = daysFor(
    wanted,
    projects.some((one) => !(one in wanted)),
  );
  try {
    const set = await setDays(address, next, before.days);
    await writeJson(path, { version: 1, days: set ? next : before.days, wanted });
  } catch {
    // The next start or cleaning asks again.
  }
}

/** False: a person set another value, which stays. */
async function setDays(address: string, days: number, before: number): Promise<boolean> {
  const { client, time } = await loadSdk();
  const options = { address, connectTimeout: DEADLINE_MS, ...channel(address, client) };
  const connection = await client.Connection.connect(options);
  try {
    return await connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
      const { workflowService } = connection;
      const { config } = await workflowService.describeNamespace({ namespace: NAMESPACE });
      const now = time.tsToMs(config?.workflowExecutionRetentionTtl ?? undefined) / DAY;
      if (now !== before && now > days) return false;
      await workflowService.updateNamespace({
        namespace: NAMESPACE,
        config: { workflowExecutionRetentionTtl: time.msToTs(days * DAY) },
      });
      return true;
    });
  } finally {
    await connection.close();
  }
}
