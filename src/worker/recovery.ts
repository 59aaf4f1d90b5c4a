/**
 * Cleans up after the previous worker at boot: ends its agents, then returns its attempts to the server, so that work
 * resumes at once instead of after the heartbeat timeout.
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
import { sweepSandboxes } from '../jobs/open-sandboxes.js';
import { endProcesses } from '../process/beside.js';
import { aliveness, type Identity, ownIdentity } from '../process/identity.js';
import { FAILURE } from '../protocol/failures.js';
import { alertsId, autopilotId, ideaWorkflowId, trackerId } from '../protocol/names.js';
import { bookCutOff, leftAttempts, unmarkAttempt } from '../run-files/attempts.js';
import type { WorkerLog } from './log.js';

export async function reap(
  root: string,
  project: string,
  completion: AsyncCompletionClient,
  log: WorkerLog,
): Promise<void> {
  const ended = await endProcesses(project);
  if (ended.length > 0) log.event('ended processes of an earlier worker', { count: ended.length });
  const swept = sweepSandboxes(root, project).then(
    (count) => {
      if (count > 0) log.event('removed what sandboxes of an earlier worker had left', { count });
    },
    (error: Error) => log.event('could not remove what sandboxes had left', { why: error.message }),
  );
  const handed = new Set<string>();
  const handBack = async (taskToken: string, what: Record<string, unknown>): Promise<void> => {
    // An agent's attempt has two records: an attempt mark and an activity note.
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
      // The server has already given the attempt up, or the idea is closed, so no workflow waits for it.
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
  await swept;
}

/*
 * Notes on disk of a worker's running activities, one file each. A killed worker cannot report them, so the next worker
 * finds the notes and returns the activities, instead of letting them time out.
 * Invariant: a failure here only loses the shortcut. Never returns an activity of a live worker. An activity starts
 * after its note exists, and starts without one where the write fails.
 */

interface Note extends Taken {
  worker: Identity;
}

const shape = z.looseObject({
  taskToken: z.string().min(1),
  activity: z.string().min(1),
  worker: z.looseObject({ pid: z.int(), startTime: z.string() }),
}) as unknown as z.ZodType<Note>;

/** Creates the folder; without it the worker keeps no notes. */
export async function keepNotes(root: string, project: string): Promise<void> {
  await mkdir(takenDir(root, project), { recursive: true });
}

/** Writes a note. Resolves to a function that removes it. Never rejects. */
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

/** Activities of dead workers. */
export async function leftTaken(root: string, project: string): Promise<Taken[]> {
  const left: Taken[] = [];
  for (const { note } of await read(root, project)) if (note && (await isDead(note))) left.push(note);
  return left;
}

/** Removes notes of finished work. `unknown` workers, in other containers, lose only these notes. */
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
      // A power cut tore the file, or another program wrote it.
      return { path, note: await readNote(path, shape, 'skip').catch(() => undefined) };
    }),
  );
}

/*
 * Resets the sticky queues of the previous worker at boot. The server first offers cached workflows to that worker, and
 * they wait until a timeout. The reset makes the server release them at once.
 * Invariant: a failure here only loses the shortcut; the worker starts anyway.
 */

/** Resets the run, and the ideas with interrupted activities, which the worker returns next. */
export async function resetStickyQueue(client: Client, root: string, project: string): Promise<void> {
  const marks = await leftAttempts(root, project).catch(() => []);
  const taken = await leftTaken(root, project).catch(() => []);
  const ideas = new Set([...marks, ...taken].flatMap(({ idea }) => idea ?? []));
  const ids = [
    autopilotId(project),
    alertsId(project),
    trackerId(project),
    ...[...ideas].map((idea) => ideaWorkflowId(project, idea)),
  ];
  const { namespace } = client.options;
  await Promise.allSettled(
    ids.map((workflowId) => client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } })),
  );
}
