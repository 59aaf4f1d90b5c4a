/**
 * Notes on disk of the activities that a worker has taken, one file each while it runs. A worker that is killed cannot
 * say so: the next one finds the notes and hands the activities back, instead of letting their time-outs run out.
 * Invariant: helps or does nothing; what a living worker has taken is never handed back. An activity
 * waits for its note to be written, and starts without one where that fails.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Taken } from '../activities/index.js';
import { takenDir } from '../config/paths.js';
import { aliveness, type Identity, ownIdentity } from '../process/identity.js';

interface Note extends Taken {
  worker: Identity;
}

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
      const text = await readFile(path, 'utf8').catch(() => '');
      return { path, note: parsed(text) };
    }),
  );
}

/** Torn by a power cut, or another program's. */
function parsed(text: string): Note | undefined {
  try {
    const note = JSON.parse(text) as Partial<Note>;
    return note.worker && note.taskToken && note.activity ? (note as Note) : undefined;
  } catch {
    return undefined;
  }
}
