/**
 * Guards the database file against the wrong server.
 * Invariant: a server older than the last writer never opens the database. A newer one opens it only after ralphctl
 * made a copy. Callers hold the server lock, and no server runs.
 */
import { constants, copyFile, open as openFile, rename, stat } from 'node:fs/promises';
import { z } from 'zod';
import { readNote } from '../config/stored.js';
import { databaseNotePath, databasePath, portsShape, type ServerPorts, writeJson } from './files.js';
import { compareVersions, type TemporalVersion } from './install/version.js';
import { isShort } from './short-database.js';

export interface DatabaseNote {
  /** Server version that last wrote the database; empty until a server has served from it. */
  server: string;
  cli: string;
  ports?: ServerPorts;
  /** ISO 8601. */
  at: string;
  /** The last lost database. It explains a run that is gone. */
  lost?: DatabaseLoss;
}

export interface DatabaseLoss {
  /** ISO 8601. */
  at: string;
  /** One clause. */
  why: string;
}

const noteShape: z.ZodType<DatabaseNote> = z.looseObject({
  server: z.string(),
  cli: z.string(),
  ports: portsShape.optional(),
  at: z.string(),
  lost: z.looseObject({ at: z.string(), why: z.string() }).optional(),
}) as unknown as z.ZodType<DatabaseNote>;

/** @throws StoredFileError for one of a newer version: the database may be newer, too */
export const readDatabaseNote = (root: string): Promise<DatabaseNote | undefined> =>
  readNote(databaseNotePath(root), noteShape, 'throw');

export async function noteDatabase(root: string, version: TemporalVersion, ports: ServerPorts): Promise<void> {
  const lost = (await readDatabaseNote(root))?.lost;
  const note = { ...version, ports, at: new Date().toISOString(), lost } satisfies DatabaseNote;
  await writeJson(databaseNotePath(root), note);
}

const PARTS = ['', '-wal', '-shm'];
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Size of the database with its write-ahead log, in bytes. */
export async function databaseBytes(root: string): Promise<number> {
  const sizes = PARTS.map(async (part) => (await stat(databasePath(root) + part).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** True when a part of the database existed. */
async function each(database: string, to: string, move: (from: string, to: string) => Promise<void>): Promise<boolean> {
  let any = false;
  for (const part of PARTS) {
    if (!(await exists(database + part))) continue;
    await move(database + part, to + part);
    any = true;
  }
  return any;
}

/** Marks an unfinished database: without a schema, every later start would fail. */
const noteUnfinished = (root: string, note: Partial<DatabaseNote> | undefined): Promise<void> =>
  writeJson(databaseNotePath(root), { ...note, server: '', cli: '', at: new Date().toISOString() });

/** Tells the person what the loss of a database means, and records it for `status` and `doctor`. */
async function noteLoss(root: string, why: string, say: (line: string) => void): Promise<void> {
  const lost: DatabaseLoss = { at: new Date().toISOString(), why };
  await noteUnfinished(root, { ...(await readDatabaseNote(root)), lost });
  say(`${why}. ${LOSS}`);
}

/** The consequences of a lost database, as sentences for people. */
export const LOSS =
  'An empty database replaces it. Lost: the open runs, and earlier runs in the Web UI. Kept: all landed work, every branch ' +
  'and worktree, the files and logs of the runs. Continue with: ralphctl start, which continues unfinished ideas from ' +
  'their branches';

/** Moves an unreadable database aside. Call it while no server runs. */
export async function putDamagedAside(root: string, damage: string, say: (line: string) => void): Promise<void> {
  const database = databasePath(root);
  const aside = `${database}.damaged-${stamp()}`;
  await each(database, aside, rename);
  await noteLoss(
    root,
    `the database of the Temporal server is damaged (${damage}); ralphctl moved it to ${aside}`,
    say,
  );
}

const MAGIC = 'SQLite format 3\0';
/** The damage that is visible without a server, as a clause. Undefined: no damage, or no database. */
export async function databaseProblem(root: string): Promise<string | undefined> {
  const path = databasePath(root);
  const note = await readDatabaseNote(root);
  const file = await openFile(path, 'r').catch(() => undefined);
  if (!file) return note?.server ? `the database ${path} was deleted` : undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    if (note?.server === '') return undefined;
    if (buffer.toString('latin1', 0, bytesRead) === MAGIC)
      return (await isShort(file, path)) ? `${path} is truncated` : undefined;
    return `${path} is ${bytesRead === 0 ? 'empty' : 'not a database'}`;
  } finally {
    await file.close();
  }
}

const stamp = (): string => new Date().toISOString().replace(/[-:]|\.\d+/g, '');

/**
 * Makes sure that `version` may open the database of `root`, copying or moving it aside where needed.
 * @throws Error when the database was written by a newer server.
 */
export async function guardDatabase(
  root: string,
  version: TemporalVersion,
  binary: string,
  say: (line: string) => void,
): Promise<void> {
  const database = databasePath(root);
  const note = await readDatabaseNote(root);
  if (!(await exists(database))) {
    if (note && note.server !== '') {
      // The write-ahead log belongs to this database only.
      const aside = `${database}.rest-${stamp()}`;
      const kept = await each(database, aside, rename);
      const rest = kept ? ` (ralphctl moved its remaining files to ${aside})` : '';
      await noteLoss(root, `the database ${database} was deleted${rest}`, say);
    } else await noteUnfinished(root, note);
    return;
  }
  if (!note) return;
  if (note.server === '') {
    const aside = `${database}.unfinished-${stamp()}`;
    await each(database, aside, rename);
    say(`the first start of the server did not finish; ralphctl moved its unfinished database to ${aside}`);
    return;
  }
  const order = compareVersions(version.server, note.server);
  if (order < 0) {
    throw new Error(
      `${database} was written by Temporal server ${note.server}, and ${binary} is the older server ${version.server}, which may damage it. ` +
        `Use a binary with server ${note.server} or later: upgrade this one, or set RALPHCTL_TEMPORAL_BIN=/path/to/temporal`,
    );
  }
  if (order > 0) {
    const aside = `${database}.before-${version.server}-${stamp()}`;
    await each(database, aside, (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE));
    say(`server ${version.server} upgrades the database of server ${note.server}; ralphctl kept a copy as ${aside}`);
  }
}
