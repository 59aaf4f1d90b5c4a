import { appendFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { databasePath, readJson, readRecord, writeJson } from '../../../src/server/files.js';
import { logTail, rotateRunning, rotateStopped } from '../../../src/server/log.js';
import { remove, temporaryFolder } from './program.js';

let dir: string;
beforeEach(async () => {
  dir = await temporaryFolder();
});
afterEach(() => remove(dir));

const isNumber = (value: unknown): value is number => typeof value === 'number';

it('never shows a reader half a file', async () => {
  const path = join(dir, 'sub', 'n.json');
  let writing = true;
  const writer = (async () => {
    for (let i = 0; i < 200; i++) await writeJson(path, i);
    writing = false;
  })();
  let seen = -1;
  while (writing) {
    const value = await readJson(path, isNumber);
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
