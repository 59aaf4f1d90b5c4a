import { appendFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { readNote } from '../../../src/config/stored.js';
import { readDatabaseNote } from '../../../src/server/database.js';
import { databaseNotePath, databasePath, readRecord, writeJson } from '../../../src/server/files.js';
import { logTail, rotateRunning, rotateStopped } from '../../../src/server/log.js';
import { remove, temporaryFolder } from './program.js';

let dir: string;
beforeEach(async () => {
  dir = await temporaryFolder();
});
afterEach(() => remove(dir));

it('never shows a reader half a file', async () => {
  const path = join(dir, 'sub', 'n.json');
  let writing = true;
  const writer = (async () => {
    for (let i = 0; i < 200; i++) await writeJson(path, i);
    writing = false;
  })();
  let seen = -1;
  while (writing) {
    const value = await readNote(path, z.number(), 'throw');
    if (value === undefined) expect(seen).toBe(-1);
    else {
      expect(value).toBeGreaterThanOrEqual(seen);
      seen = value;
    }
  }
  await writer;
  expect(await readdir(join(dir, 'sub'))).toEqual(['n.json']);
});

it('treats a torn or foreign record as none', async () => {
  expect(await readRecord(dir)).toBeUndefined();
  await writeJson(join(dir, 'server', 'server.json'), { pid: 1 });
  expect(await readRecord(dir)).toBeUndefined();
  await writeFile(join(dir, 'server', 'server.json'), '{"pid": 12');
  expect(await readRecord(dir)).toBeUndefined();
});

it('a record of a newer version is an error that names the file', async () => {
  const newer = { version: 2 };
  await writeJson(join(dir, 'server', 'server.json'), newer);
  await expect(readRecord(dir)).rejects.toThrow(/server\.json has format version 2; .*Use the newer ralphctl/);
  await writeJson(databaseNotePath(dir), newer);
  await expect(readDatabaseNote(dir)).rejects.toThrow(/db\.json has format version 2/);
});

it('rotates a log by size, also under its writer', async () => {
  const log = join(dir, 'server.log');
  await rotateStopped(log, 10);
  await writeFile(log, 'short');
  await rotateStopped(log, 10);
  expect(await readFile(log, 'utf8')).toBe('short');
  await appendFile(log, ' and longer');
  await rotateStopped(log, 10);
  expect(await readFile(`${log}.1`, 'utf8')).toBe('short and longer');

  const writer = await open(log, 'a');
  await writer.write('0123456789abcdef');
  await rotateRunning(log, 10);
  await writer.write('after');
  await writer.close();
  expect(await readFile(log, 'utf8')).toBe('after');
  expect(await readFile(`${log}.1`, 'utf8')).toBe('0123456789abcdef');
  expect((await stat(log)).size).toBe(5);
});

it('reads the end of a log, no earlier than told', async () => {
  const log = join(dir, 'server.log');
  expect(await logTail(log, 0)).toBe('');
  await writeFile(log, 'old lines\nnew line\n');
  expect(await logTail(log, 10)).toBe('new line');
  expect(await logTail(log, 0, 5)).toBe('line');
});

it('names the database absolutely, even under a relative root', () => {
  expect(isAbsolute(databasePath('some/root'))).toBe(true);
  expect(databasePath('/a/b/../root')).toBe('/a/root/server/temporal.db');
});
