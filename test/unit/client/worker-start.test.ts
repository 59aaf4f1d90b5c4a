/** How long a command waits for the background worker that it starts, and what it says when none comes. Feature: G5. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureWorker } from '../../../src/client/worker-process.js';
import { identityOf } from '../../../src/process/identity.js';
import { writeWorkerRecord } from '../../../src/worker/record.js';
import { until } from '../../support/program.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-start-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** In place of the supervisor: a program that says its pid first. */
async function starts(body: string, stillMs: number): ReturnType<typeof ensureWorker> {
  const file = join(root, 'supervisor.cjs');
  const head = `const fs = require('fs'); fs.writeFileSync('pid.new', String(process.pid)); fs.renameSync('pid.new', 'pid');`;
  await writeFile(file, `${head}\n${body}\n`);
  const context = { root, cacheRoot: root, cwd: root, json: false, env: { PATH: process.env.PATH } };
  return ensureWorker(context, 'p', () => {}, { command: [file], stillMs });
}

const pid = async (): Promise<number> => Number(await readFile(join(root, 'pid'), 'utf8'));
const HOUR = 3_600_000;

it('waits for a slow one as long as it works', async () => {
  const stillMs = 3000;
  const body = `
    for (const end = Date.now() + ${2 * stillMs}; Date.now() < end; );
    fs.writeFileSync('worked', ''); setInterval(() => {}, 1000);`;
  const started = starts(body, stillMs);
  await Promise.race([started, until('much work', async () => existsSync(join(root, 'worked')), 120_000)]);
  const keeper = await identityOf(await pid());
  if (!keeper) throw new Error('it has ended');
  try {
    await writeWorkerRecord(root, 'p', { keeper, buildId: 'b', startedAt: '' });
    expect((await started).keeper).toEqual(keeper);
  } finally {
    process.kill(keeper.pid, 'SIGKILL');
  }
}, 180_000);

it('says at once that it ended, and what it said', async () => {
  const failed = starts(`console.error('first\\nboom: no room.'); process.exit(3)`, HOUR);
  await expect(failed).rejects.toThrow(
    /^the background worker did not start: it ended \(exit code 3\)\. Its log is in \S+\/logs\. It said: first \| boom: no room\.$/,
  );
  await expect(starts(`process.kill(process.pid, 'SIGKILL')`, HOUR)).rejects.toThrow(
    'the background worker did not start: it ended (SIGKILL). Its log is in',
  );
});

it('ends one that stands still, and says so', async () => {
  const still = starts(`console.error('waits for a disk'); process.kill(process.pid, 'SIGSTOP')`, 1000);
  await expect(still).rejects.toThrow('did not start: it did nothing for 1 s, and was ended. Its log is in');
  await expect(still).rejects.toThrow('It said: waits for a disk');
  const left = await pid();
  await until('its end', async () => (await identityOf(left)) === undefined);
});
