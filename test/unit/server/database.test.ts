import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  databaseBytes,
  databaseProblem,
  guardDatabase,
  noteDatabase,
  readDatabaseNote,
} from '../../../src/server/database.js';
import { databasePath } from '../../../src/server/files.js';
import { remove, temporaryFolder } from './program.js';

const PORTS = { grpc: 1, ui: 2 };
let root: string;
let said: string[];
const guard = (server: string) =>
  guardDatabase(root, { cli: '1.5.1', server }, '/opt/temporal', (line) => {
    said.push(line);
  });
const files = async () => (await readdir(join(root, 'server'))).sort();

beforeEach(async () => {
  root = await temporaryFolder();
  said = [];
});
afterEach(() => remove(root));

async function database(server: string): Promise<void> {
  await mkdir(join(root, 'server'), { recursive: true });
  await writeFile(databasePath(root), 'data');
  await writeFile(`${databasePath(root)}-wal`, 'log');
  await noteDatabase(root, { cli: '1.5.1', server }, PORTS);
}

it('refuses a database of a newer server, naming both, the file and the way out', async () => {
  await database('1.30.2');
  const refusal = guard('1.29.1');
  await expect(refusal).rejects.toThrow(/temporal\.db was written by Temporal server 1\.30\.2/);
  await expect(guard('1.29.1')).rejects.toThrow(/\/opt\/temporal is the older server 1\.29\.1.*RALPHCTL_TEMPORAL_BIN=/);
  expect(await files()).toEqual(['db.json', 'temporal.db', 'temporal.db-wal']);
});

it('copies the database with its log aside before a newer server opens it', async () => {
  await database('1.29.1');
  await guard('1.30.0');
  const copies = (await files()).filter((name) => name.includes('.before-1.30.0-'));
  expect(copies).toHaveLength(2);
  const contents = await Promise.all(copies.map((name) => readFile(join(root, 'server', name), 'utf8')));
  expect(contents.sort()).toEqual(['data', 'log']);
  expect(await readFile(databasePath(root), 'utf8')).toBe('data');
  expect(said.join()).toContain('upgrades the database of server 1.29.1');
});

it('says and copies nothing for the same version', async () => {
  await database('1.29.1');
  await guard('1.29.1');
  expect(said).toEqual([]);
  expect(await files()).toHaveLength(3);
  expect(await databaseBytes(root)).toBe('data'.length + 'log'.length);
});

it('moves a database aside whose first start was cut short', async () => {
  await guard('1.29.1');
  await writeFile(databasePath(root), 'no schema');
  await guard('1.29.1');
  const aside = (await files()).filter((name) => name.startsWith('temporal.db.unfinished-'));
  expect(aside).toHaveLength(1);
  expect(await files()).not.toContain('temporal.db');
  expect(said.join()).toContain('moved its');
});

it('keeps the ports when the database itself is gone', async () => {
  await noteDatabase(root, { cli: '1.5.1', server: '1.31.0' }, PORTS);
  await guard('1.29.1');
  expect((await readDatabaseNote(root))?.ports).toEqual(PORTS);
});

it('is looked at without a server: empty, overwritten and deleted ones are named', async () => {
  expect(await databaseProblem(root)).toBeUndefined();
  await database('1.29.1');
  expect(await databaseProblem(root)).toMatch(/temporal\.db is not a database$/);
  await writeFile(databasePath(root), '');
  expect(await databaseProblem(root)).toMatch(/temporal\.db is empty$/);
  const header = Buffer.alloc(100);
  header.write('SQLite format 3\0', 'latin1');
  header.writeUInt16BE(4096, 16);
  header.writeUInt32BE(2, 28);
  await writeFile(databasePath(root), Buffer.concat([header, Buffer.alloc(2 * 4096 - 100)]));
  expect(await databaseProblem(root)).toBeUndefined();
  await truncate(databasePath(root), 5000);
  expect(await databaseProblem(root)).toMatch(/temporal\.db is truncated$/);
  await rm(databasePath(root));
  expect(await databaseProblem(root)).toMatch(/temporal\.db was deleted$/);
});

/** A write-ahead log with a frame for each page; `salt` of the frames, where it is not the log's. */
function log(pages: readonly number[], salt = 7): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32BE(4096, 8);
  head.writeUInt32BE(7, 16);
  const frames = pages.map((page) => {
    const frame = Buffer.alloc(24 + 4096);
    frame.writeUInt32BE(page, 0);
    frame.writeUInt32BE(salt, 8);
    return frame;
  });
  return Buffer.concat([head, ...frames]);
}

it('is whole while a checkpoint fills it: what its file lacks is in the write-ahead log', async () => {
  await database('1.29.1');
  const header = Buffer.alloc(4096);
  header.write('SQLite format 3\0', 'latin1');
  header.writeUInt16BE(4096, 16);
  header.writeUInt32BE(200, 28);
  await writeFile(databasePath(root), header);
  const missing = Array.from({ length: 199 }, (_, i) => i + 2);
  const wal = `${databasePath(root)}-wal`;
  await writeFile(wal, log([1, ...missing, 2]));
  expect(await databaseProblem(root)).toBeUndefined();
  for (const lacking of [log(missing.slice(1)), log(missing.slice(0, -1)), log(missing, 8), Buffer.alloc(10)]) {
    await writeFile(wal, lacking);
    expect(await databaseProblem(root)).toMatch(/temporal\.db is truncated$/);
  }
});
