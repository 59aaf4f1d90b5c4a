/**
 * The backlog that the next start of a run's source reads, to tell which ideas it still has.
 * Invariant: reads files only, and fails nothing. Where nobody knows, as with a tracker or a backlog that cannot be read,
 * there is no answer, and no idea is called gone.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findBacklog, readBacklog } from '../../backlog/index.js';
import { CONFIG_FILES } from '../../config/file-names.js';
import { backlogFileOf, trackerOf } from '../../config/schema/tracker.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import { splitIdeas } from '../../run-files/amendments.js';
import type { RunFile } from '../../run-files/shapes.js';
import { namedOf, sourceName } from '../../run-files/start-again.js';
import { type ReadConfig, readConfig } from './run-config.js';

export interface NextBacklog {
  /** Its path. */
  file: string;
  format: FormatName;
  /** For people: relative to the repository where it is inside. */
  name: string;
  /** Ids of its ideas, also of those that no run takes, and the parts of those that were split. */
  ids: ReadonlySet<string>;
  /** Its ideas as they are written, without what people changed. */
  written: readonly Idea[];
  /** Of its text. */
  sha256: string;
  /** The configuration as it is now. */
  config: ReadConfig;
}

type About = Pick<RunFile, 'project' | 'repo' | 'folder' | 'backlog' | 'named' | 'flags' | 'waves'>;

export async function nextBacklog(root: string, run: About): Promise<NextBacklog | undefined> {
  if (run.backlog.from !== undefined) return undefined;
  const read = await kept(run).catch(() => undefined);
  if (!read) return undefined;
  const ids = new Set(read.ids);
  for (const { idea, parts } of await splitIdeas(root, run.project).catch(() => []))
    if (ids.has(idea)) for (const part of parts) ids.add(part);
  return { ...read, ids, name: sourceName(run.repo, read.file) };
}

type Read = Omit<NextBacklog, 'name'>;

/** How often files were read. */
let reads = 0;
export const backlogReads = (): number => reads;

/** A screen asks every few seconds. */
let last: { of: string; read: Promise<Read | undefined> } | undefined;

async function kept(run: About): Promise<Read | undefined> {
  const of = await standOf(run);
  if (last?.of !== of) last = { of, read: readNow(run) };
  return last.read;
}

/** Changes whenever what is read may have changed. */
async function standOf({ repo, folder = repo, backlog, ...about }: About): Promise<string> {
  const { source, format } = namedOf(about);
  const files = [backlog.file, folder, ...CONFIG_FILES.map((name) => join(folder, name))];
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return JSON.stringify([files, source, format, stats.map((one) => [one?.mtimeMs, one?.size, one?.ino])]);
}

async function readNow({ repo, folder = repo, backlog, ...about }: About): Promise<Read | undefined> {
  reads += 1;
  const { source, format } = namedOf(about);
  const read = await readConfig(folder);
  const { config } = read;
  if (source === undefined && trackerOf(config)) return undefined;
  const file = source === undefined ? await findBacklog(folder, backlogFileOf(config)) : backlog.file;
  return readOne(file, format ?? config.backlogFormat, read);
}

async function readOne(file: string, named: FormatName | undefined, config: ReadConfig): Promise<Read> {
  const { ideas, leftOut, format, sha256 } = await readBacklog(file, { format: named });
  return { file, format, ids: new Set([...ideas, ...leftOut].map(({ id }) => id)), written: ideas, sha256, config };
}
