/**
 * What a worker does at boot about the one before it: end its agents, then hand its attempts back to the server, so that
 * the work goes on at once instead of after the heartbeat time-out.
 */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AsyncCompletionClient, Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { Taken } from '../activities/index.js';
import { takenDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { aliveness, type Identity, ownIdentity } from '../process/identity.js';
import { killByToken } from '../process/tokens.js';
import { FAILURE } from '../protocol/failures.js';
import { autopilotId, ideaWorkflowId } from '../protocol/names.js';
import { leftAttempts, unmarkAttempt } from '../run-files/attempts.js';
import { bookCutOff } from '../run-files/cut-off.js';
import type { WorkerLog } from './log.js';

export async function reap(
  root: string,
  project: string,
  completion: AsyncCompletionClient,
  log: WorkerLog,
): Promise<void> {
  const ended = await killByToken(project);
  if (ended.length > 0) log.event('ended processes of an earlier worker', { count: ended.length });
  const handed = new Set<string>();
  const handBack = async (taskToken: string, what: Record<string, unknown>): Promise<void> => {
    // An agent's attempt is marked twice: as an attempt, and as an activity.
    if (handed.has(taskToken)) return;
    handed.add(taskToken);
    const failure = ApplicationFailure.create({
      type: FAILURE.workerLost,
      message: `the worker that had it was lost`,
    });
    try {
      await completion.fail(Buffer.from(taskToken, 'base64'), failure);
      log.event('returned an attempt to the server', what);
    } catch (error) {
      // The server gave the attempt up already, or the idea is closed: nothing waits for it.
      log.event('stopped waiting for an old attempt', { ...what, why: (error as Error).message });
    }
  };
  for (const mark of await leftAttempts(root, project)) {
    await handBack(mark.taskToken, { idea: mark.idea, serial: mark.serial });
    await bookCutOff(root, project, mark);
    await unmarkAttempt(root, project, mark);
  }
  for (const { taskToken, ...what } of await leftTaken(root, project)) await handBack(taskToken, what);
  await forgetTaken(root, project);
  await keepNotes(root, project);
}

/*
 * Notes on disk of the activities that a worker has taken, one file each while it runs. A worker that is killed cannot
 * say so: the next one finds the notes and hands the activities back, instead of letting their time-outs run out.
 * Invariant: helps or does nothing; what a living worker has taken is never handed back. An activity
 * waits for its note to be written, and starts without one where that fails.
 */

interface Note extends Taken {
  worker: Identity;
}

const shape = z.looseObject({
  taskToken: z.string().min(1),
  activity: z.string().min(1),
  worker: z.looseObject({ pid: z.int(), startTime: z.string() }),
}) as unknown as z.ZodType<Note>;

/** Makes the folder; without it nothing is noted. */
export async function keepNotes(root: string, project: string): Promise<void> {
  await mkdir(takenDir(root, project), { recursive: true });
}

/** Returns what forgets it again. Never rejects. */
export async function noteTaken(root: string, project: string, taken: Taken): Promise<() => Promise<void>> {
  const path = join(takenDir(root, project), `${randomUUID()}.json`);
  const note: Note = { ...taken, worker: await ownIdentity() };
  try {
    await writeFile(path, JSON.stringify(note), { flag: 'wx', mode: 0o600 });
  } catch {
    return () => Promise.resolve();
  }
  return () => rm(path, { force: true }).catch(() => undefined);
}

/** What workers that are dead had taken. */
export async function leftTaken(root: string, project: string): Promise<Taken[]> {
  const left: Taken[] = [];
  for (const { note } of await read(root, project)) if (note && (await isDead(note))) left.push(note);
  return left;
}

/** Forgets what nobody works on any more; `unknown` workers, in other containers, lose no more than these notes. */
export async function forgetTaken(root: string, project: string): Promise<void> {
  for (const { path, note } of await read(root, project))
    if (!note || (await aliveness(note.worker)) !== 'alive') await rm(path, { force: true });
}

const isDead = async ({ worker }: Note): Promise<boolean> => (await aliveness(worker)) === 'dead';

async function read(root: string, project: string): Promise<{ path: string; note: Note | undefined }[]> {
  const dir = takenDir(root, project);
  const names = await readdir(dir).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const path = join(dir, name);
      // Torn by a power cut, or another program's.
      return { path, note: await readNote(path, shape, 'skip').catch(() => undefined) };
    }),
  );
}

/*
 * What a worker does at boot about the queue of the one before it: workflows that were in that one's cache are offered to
 * it first, and wait there until the server gives up. This tells the server to let them go at once.
 * Invariant: helps or does nothing; a worker starts without it, too.
 */

/** The run, and the ideas that something was done for: those are about to be handed back. */
export async function resetStickyQueue(client: Client, root: string, project: string): Promise<void> {
  const marks = await leftAttempts(root, project).catch(() => []);
  const taken = await leftTaken(root, project).catch(() => []);
  const ideas = new Set([...marks, ...taken].flatMap(({ idea }) => idea ?? []));
  const ids = [autopilotId(project), ...[...ideas].map((idea) => ideaWorkflowId(project, idea))];
  const { namespace } = client.options;
  await Promise.allSettled(
    ids.map((workflowId) => client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } })),
  );
}
