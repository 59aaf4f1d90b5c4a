/**
 * The files of runs: what is there, and how parts of it go.
 * Invariant: a run's folder `ideas` is replaced as a whole by one with what stays and the note of what went, so that no
 * reader finds half of an agent run. Pinned files, summary, report, answers and results stay for ever.
 */
import { copyFile, link, lstat, mkdir, open, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runDir } from '../../config/paths.js';
import { isFull } from '../../config/system-errors.js';
import type { RunFacts, RunGoes } from '../../decide/retention/what-goes.js';
import type { RunPart } from '../../protocol/retention.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { CLEANED_FILE, type CleanedParts, cleanedParts, NEXT, noteText } from '../../run-files/cleaned.js';
import { deleteAway, onDisk, takeAway } from './own.js';

/** What other runs and views read of an agent run after its run. */
const STAYS = new Set(['notes.json', 'result.json']);

interface Entry {
  /** Parts of the path below `ideas`. */
  path: string[];
  bytes: number;
  folder: boolean;
}

/** The part that an entry belongs to; undefined: it stays. Landings, set-up and the like are beside the agent runs. */
function partOf({ path: [, place = '', name = '', ...rest], folder }: Entry): RunPart | undefined {
  if (!/^\d+$/.test(place)) return place === '' ? undefined : 'gateLogs';
  if (rest.length > 0 || (name !== '' && folder)) return 'gateLogs';
  return name === '' || STAYS.has(name) ? undefined : 'transcripts';
}

/** Folders before what is in them. Links are entries and are not followed. */
async function* entries(dir: string, below: string[] = []): AsyncGenerator<Entry> {
  for (const one of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    const path = [...below, one.name];
    if (below.length === 0 && one.name === CLEANED_FILE) continue;
    const about = await lstat(join(dir, one.name)).catch(() => undefined);
    if (!about) continue;
    yield { path, bytes: onDisk(about), folder: about.isDirectory() };
    if (about.isDirectory()) yield* entries(join(dir, one.name), path);
  }
}

/** `over`: whether its end is recorded, or a newer run has begun. */
export async function runFacts(root: string, ref: RunRef, over: boolean): Promise<RunFacts> {
  const dir = runDir(root, ref.project, ref.runId);
  const time = (name: string): Promise<number> =>
    lstat(join(dir, name)).then(
      (about) => about.mtimeMs,
      () => 0,
    );
  const at = Math.max(...(await Promise.all(['run.json', 'summary.json', 'events.jsonl'].map(time))));
  const parts: Partial<Record<RunPart, number>> = {};
  const known = await cleanedParts(root, ref);
  // Nothing is written into a run that is over.
  if (known.transcripts === undefined || known.gateLogs === undefined)
    for await (const entry of entries(join(dir, 'ideas'))) {
      const part = partOf(entry);
      if (part !== undefined) parts[part] = (parts[part] ?? 0) + entry.bytes;
    }
  const events = await lstat(join(dir, 'events.jsonl')).catch(() => undefined);
  if (events?.isFile()) parts.events = onDisk(events);
  const reported = (await time('report.md')) > 0 && (await time('summary.json')) > 0;
  return { runId: ref.runId, over, at, parts, reported };
}

/** Removes parts of a run. */
export async function cleanRun(root: string, project: string, { runId, parts }: RunGoes, now: Date): Promise<void> {
  const ref = { project, runId };
  const dir = runDir(root, project, runId);
  const [ideas, next] = [join(dir, 'ideas'), join(dir, NEXT)];
  await healRun(dir);
  const note: CleanedParts = { ...(await cleanedParts(root, ref)) };
  for (const part of parts) note[part] = now.toISOString();
  const gone = new Set(parts);
  try {
    await makeNext(ideas, next, gone);
    await writeFile(join(next, CLEANED_FILE), noteText(note), { mode: 0o600, flush: true });
    const before = await takeAway(ideas).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(next, ideas);
    if (before) await deleteAway(before);
  } catch (error) {
    if (!isFull(error)) throw error;
    await healRun(dir);
    if (!(await cleanInPlace(ideas, note, gone))) throw error;
  }
  if (!gone.has('events')) return;
  await unlink(join(dir, 'events.jsonl')).catch(() => undefined);
  await rm(join(dir, 'drafts'), { recursive: true, force: true });
}

/** What stays. */
async function makeNext(ideas: string, next: string, gone: ReadonlySet<RunPart>): Promise<void> {
  await mkdir(next, { mode: 0o700 });
  for await (const entry of entries(ideas)) {
    const part = partOf(entry);
    if (part !== undefined && gone.has(part)) continue;
    const { path, folder } = entry;
    const to = join(next, ...path);
    // The folder of an agent run stays also when it is empty: it tells that there was one.
    if (folder) await mkdir(to, { recursive: true, mode: 0o700 });
    else await linkOrCopy(join(ideas, ...path), to);
  }
}

/** One of the files that go gets the text and the name of the note, which takes no room. False: there is none. */
async function noteInsteadOf(ideas: string, text: string, gone: ReadonlySet<RunPart>): Promise<boolean> {
  for await (const entry of entries(ideas)) {
    const [part, path] = [partOf(entry), join(ideas, ...entry.path)];
    const about = part !== undefined && gone.has(part) ? await lstat(path) : undefined;
    if (!about?.isFile() || about.nlink > 1 || about.size < text.length) continue;
    const file = await open(path, 'r+');
    try {
      await file.write(text, 0);
      await file.truncate(Buffer.byteLength(text));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, join(ideas, CLEANED_FILE));
    return true;
  }
  return false;
}

/** Where the disk has no room for a new folder. The note is first, so that what is gone is named after a crash, too. */
async function cleanInPlace(ideas: string, note: CleanedParts, gone: ReadonlySet<RunPart>): Promise<boolean> {
  if (!(await noteInsteadOf(ideas, noteText(note), gone))) return false;
  for await (const entry of entries(ideas)) {
    const part = partOf(entry);
    if (part === undefined || !gone.has(part)) continue;
    await rm(join(ideas, ...entry.path), { recursive: true, force: true });
  }
  return true;
}

/** After a cleaning that was killed: the new folder counts where the old one has left its place, and only there. */
export async function healRun(dir: string): Promise<void> {
  const [ideas, next] = [join(dir, 'ideas'), join(dir, NEXT)];
  if (!(await lstat(next).catch(() => undefined))) return;
  const whole = await lstat(join(next, CLEANED_FILE)).catch(() => undefined);
  if (whole && !(await lstat(ideas).catch(() => undefined))) await rename(next, ideas);
  else await deleteAway(await takeAway(next));
}

/** A file system without links gets a copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const about = await lstat(from);
  if (!about.isFile()) return;
  await link(from, to).catch(() => copyFile(from, to));
}
