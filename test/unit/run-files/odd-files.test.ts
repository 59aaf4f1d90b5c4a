/**
 * Something else in the place of a file of ours: every reader and writer says so at once, or does without. Features: C6.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { StreamFollower } from '../../../src/client/follow/stream-follow.js';
import { LineSplitter, MOST_LINE_BYTES } from '../../../src/config/lines.js';
import { appendOwn, readOwn, tailOfOwn } from '../../../src/config/own-files.js';
import { readStored } from '../../../src/config/stored.js';
import { StoredFileError } from '../../../src/config/stored-error.js';
import { SystemError } from '../../../src/config/system-errors.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { EventWriter, eventsPath, followEvents } from '../../../src/run-files/events.js';
import { ChainReader } from '../../../src/run-files/ledger.js';
import { lastMovement } from '../../../src/run-files/movement.js';
import { RUN_FILE } from '../../../src/run-files/shapes.js';
import { readSummary } from '../../../src/run-files/summary.js';
import { dayTotal, writeUsage } from '../../../src/run-files/usage.js';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-odd-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Puts something else in the place of a file. */
const ODD: Record<string, (path: string) => unknown> = {
  folder: (path) => mkdir(path, { recursive: true }),
  pipe: (path) => execFileSync('mkfifo', [path]),
  device: (path) => symlink('/dev/zero', path),
  socket: (path) =>
    new Promise<void>((ready) => {
      const server = createServer().listen(path, ready);
      onTestFinished(() => void server.close());
    }),
};

const all = async <T>(from: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of from) found.push(one);
  return found;
};

const ref = { project: 'p', runId: 'r' };

describe('C6 a code of the system that ralphctl does not know', () => {
  const words = async (attempt: Promise<unknown>, path: string, code: string): Promise<void> => {
    const error: unknown = await attempt.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SystemError);
    expect(error).toMatchObject({ code, path });
    expect((error as SystemError).message).toBe(
      `cannot open ${path}: the system says ${code}. Look at the file and its disk (ls -l ${path}; findmnt -T ${join(path, '..')}), then call the command again`,
    );
  };

  it('is named with the file and where to look, when it is read', async () => {
    const path = join(dir, 'x'.repeat(300));
    await words(readOwn(path), path, 'ENAMETOOLONG');
    await words(tailOfOwn(path, 100), path, 'ENAMETOOLONG');
    await words(readStored(path, RUN_FILE), path, 'ENAMETOOLONG');
  });

  it.runIf(process.platform === 'linux')('is named with the file and where to look, when it is written', async () => {
    const path = join(dir, 'program');
    await copyFile(process.execPath, path);
    await chmod(path, 0o700);
    // A program that runs cannot be written.
    const running = spawn(path, ['-e', 'process.stdin.resume(); console.log(1)'], { stdio: 'pipe' });
    await once(running.stdout, 'data');
    await words(appendOwn(path, 'x'), path, 'ETXTBSY');
    running.stdin.end();
    await once(running, 'exit');
  });
});

describe.each(Object.keys(ODD))('a %s in the place of a file of ours', (kind) => {
  const put = async (path: string): Promise<string> => {
    await mkdir(join(path, '..'), { recursive: true });
    await ODD[kind]?.(path);
    return path;
  };

  it('is an error that names it and its fix, for every reader and every writer', async () => {
    const path = await put(join(dir, 'f'));
    const attempts: Record<string, () => Promise<unknown>> = {
      read: () => readOwn(path),
      tail: () => tailOfOwn(path, 100),
      append: () => appendOwn(path, 'x\n'),
      stored: () => readStored(path, RUN_FILE),
      events: () => all(followEvents(path, AbortSignal.abort())),
      ledger: () => all(new ChainReader().read(path)),
      stream: () => new StreamFollower(path).read(),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const error: unknown = await attempt().catch((thrown: unknown) => thrown);
      expect(error, name).toBeInstanceOf(StoredFileError);
      expect((error as Error).message, name).toContain(`${path} is unusable: `);
      expect((error as Error).message, name).toMatch(name === 'stored' ? /ralphctl abort/ : /Move it away: mv /);
    }
  });

  it('costs only what it would have told, where ralphctl can do without', async () => {
    const now = new Date();
    await put(join(dir, 'projects/p/usage', `${now.toISOString().slice(0, 7)}.jsonl`));
    await put(join(dir, 'projects/p/runs/r/summary.json'));
    await put(eventsPath(dir, ref));
    expect((await dayTotal(dir, 'p', now)).spent.iterations).toBe(0);
    await expect(writeUsage(dir, 'p', { at: now.toISOString() } as never)).rejects.toThrow(/is unusable/);
    expect(await lastMovement(dir, ref)).toEqual({ at: 0 });
    const said: string[] = [];
    expect(await readSummary(dir, ref, (problem) => said.push(problem))).toBeUndefined();
    expect(said.join()).toMatch(/summary\.json is unusable: .*ralphctl logs/);
  });

  it('does not stop events: the writer tells it once each, and a follower reads on when it is gone', async () => {
    const path = await put(eventsPath(dir, ref));
    const failed: unknown[] = [];
    const writer = new EventWriter(dir, (error) => failed.push(error));
    const event = { kind: 'run', state: 'running', landed: 0, total: 1 } as RunEvent;
    writer.write(ref, event, 0);
    await writer.flush();
    expect(failed).toHaveLength(1);
    const stop = new AbortController();
    const told: (string | undefined)[] = [];
    const follower = followEvents(path, stop.signal, {
      pollMs: 5,
      unreadable: (problem) => told.push(problem?.message),
    });
    const first = follower.next();
    await expect.poll(() => told.length, { timeout: 30_000 }).toBeGreaterThan(0);
    await rm(path, { recursive: true });
    writer.write(ref, event, 0);
    expect((await first).value).toMatchObject({ kind: 'run' });
    stop.abort();
    await follower.return(undefined);
    expect(told[0]).toContain(path);
    // After the path is gone it is no problem any more.
    if (told.includes(undefined)) expect(told.at(-1)).toBeUndefined();
  });
});

describe('files that a crash or another program filled', () => {
  it('a line of 600 MB is passed over, in bounded memory, and the lines around it count', async () => {
    const path = join(dir, 'events.jsonl');
    const line = `${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', kind: 'run', state: 'running', landed: 0, total: 1 })}\n`;
    await writeFile(path, line);
    // A sparse file: it takes no space.
    const file = await open(path, 'r+');
    const end = 600 * 1024 * 1024;
    await file.write(`\n${line}`, end);
    await file.close();
    expect(await all(followEvents(path, AbortSignal.abort()))).toHaveLength(2);
    const chain = new ChainReader();
    await all(chain.read(path));
    expect(chain).toMatchObject({ lines: 3, torn: false, offset: end + 1 + line.length });
    await expect(readOwn(path)).rejects.toThrow(/is unusable: larger than 256 MB\. Move it away/);
    await expect(readStored(path, RUN_FILE)).rejects.toThrow(/larger than 256 MB.*ralphctl abort/);
    expect(await tailOfOwn(path, line.length)).toBe(line);
  }, 60_000);

  it('bytes that are no UTF-8 are one damaged line, or one damaged file', async () => {
    const path = join(dir, 'f');
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x7b, 0x0a]));
    expect(await all(followEvents(path, AbortSignal.abort()))).toEqual([]);
    const chain = new ChainReader();
    await all(chain.read(path));
    expect(chain.faults).toHaveLength(1);
    await expect(readStored(path, RUN_FILE)).rejects.toThrow(/is damaged: it is no valid JSON/);
  });

  it('pieces that end inside a character or a line give whole lines', async () => {
    const text = 'é\u{1f3c3}\n\nlast';
    const whole = Buffer.from(text);
    const splitter = new LineSplitter();
    const found: string[] = [];
    for (const byte of whole)
      for (const { line } of splitter.take(Buffer.from([byte]))) found.push(line?.toString('utf8') ?? '');
    expect(found).toEqual(['é\u{1f3c3}', '']);
    expect(splitter.held).toBe(4);
    const long = Buffer.alloc(MOST_LINE_BYTES + 1, 'x');
    expect(
      [...new LineSplitter().take(Buffer.concat([long, Buffer.from('\nb\n')]))].map(({ line, bytes }) => [
        line?.toString(),
        bytes,
      ]),
    ).toEqual([
      [undefined, long.length + 1],
      ['b', 2],
    ]);
  });

  it('what is appended is on the disk, and only for its owner', async () => {
    const path = join(dir, 'f');
    await appendOwn(path, 'a\n');
    await appendOwn(path, 'b\n', { flush: true });
    expect(await readFile(path, 'utf8')).toBe('a\nb\n');
    await expect(appendOwn(join(dir, 'none/f'), 'x')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
