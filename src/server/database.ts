/**
 * Guards the database file against the wrong server.
 * Invariant: a server older than the one that last wrote the database never opens it, and a newer one only after a
 * copy was put aside. Called with the server lock held and no server running.
 */
import { constants, copyFile, rename, stat } from 'node:fs/promises';
import { databaseNotePath, databasePath, readJson, writeJson } from './files.js';
import { isPorts, type ServerPorts } from './record.js';
import { compareVersions, type TemporalVersion } from './version.js';

export interface DatabaseNote {
  /** Server version that last wrote the database; empty until a server has served from it. */
  server: string;
  cli: string;
  ports?: ServerPorts;
  /** ISO 8601. */
  at: string;
}

function isNote(value: unknown): value is DatabaseNote {
  if (typeof value !== 'object' || value === null) return false;
  const note = value as Record<string, unknown>;
  const portsFit = note.ports === undefined || isPorts(note.ports);
  return typeof note.server === 'string' && typeof note.cli === 'string' && portsFit;
}

export const readDatabaseNote = (root: string): Promise<DatabaseNote | undefined> =>
  readJson(databaseNotePath(root), isNote);

export const noteDatabase = (root: string, version: TemporalVersion, ports: ServerPorts): Promise<void> =>
  writeJson(databaseNotePath(root), { ...version, ports, at: new Date().toISOString() } satisfies DatabaseNote);

const PARTS = ['', '-wal', '-shm'];
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Bytes of the database with its write-ahead log. */
export async function databaseBytes(root: string): Promise<number> {
  const sizes = PARTS.map(async (part) => (await stat(databasePath(root) + part).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function each(database: string, to: string, move: (from: string, to: string) => Promise<void>): Promise<void> {
  for (const part of PARTS) {
    if (await exists(database + part)) await move(database + part, to + part);
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
    // Marks a database in the making: one without a schema would fail every later start.
    await writeJson(databaseNotePath(root), { ...note, server: '', cli: '', at: new Date().toISOString() });
    return;
  }
  if (!note) return;
  if (note.server === '') {
    const aside = `${database}.unfinished-${stamp()}`;
    await each(database, aside, rename);
    say(`the first start of the server was cut short; its unfinished database was moved to ${aside}`);
    return;
  }
  const order = compareVersions(version.server, note.server);
  if (order < 0) {
    throw new Error(
      `${database} was written by Temporal server ${note.server}, and ${binary} is the older server ${version.server}, which may damage it; ` +
        `use a binary with server ${note.server} or later: upgrade that one, or set RALPHCTL_TEMPORAL_BIN=/path/to/temporal`,
    );
  }
  if (order > 0) {
    const aside = `${database}.before-${version.server}-${stamp()}`;
    await each(database, aside, (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE));
    say(`server ${version.server} takes over a database of server ${note.server}; a copy was kept as ${aside}`);
  }
}
