/** The worker's log goes on in the next file, in a state folder of any name. Feature: G6. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openWorkerLog, workerLogDir } from '../../../src/worker/log.js';
import { rollingFile } from '../../../src/worker/rolling-file.js';

async function folder(name: string): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), name));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

it('opens in a state folder whose path has characters that Windows does not take', async () => {
  const root = await folder('a<b>"c"|d?e*f:g.');
  const log = await openWorkerLog(root, 'p', false);
  log.event('the worker polls', { at: 'here' });
  const file = join(workerLogDir(root, 'p'), 'worker.1.log');
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"msg":"the worker polls"'));
  log.close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('goes on in the next file where one is large, keeps the newest, and touches no other file', async () => {
  const dir = await folder('roll-');
  for (const name of ['worker.2.log', 'worker.9.log', 'worker.stderr', 'worker.7.log.gz'])
    await writeFile(join(dir, name), 'x'.repeat(90));
  const destination = await rollingFile({ file: join(dir, 'worker'), size: 100, keep: 2 });
  const names = async (): Promise<string[]> => (await readdir(dir)).sort();
  for (const [at, word] of ['one', 'two', 'three'].entries()) {
    destination.write(`${word.repeat(40)}\n`);
    await vi.waitFor(async () => expect(await names()).toContain(`worker.${10 + at}.log`));
  }
  destination.write('four\n');
  destination.flushSync();
  destination.end();
  expect(await names()).toEqual(
    ['worker.10.log', 'worker.11.log', 'worker.12.log', 'worker.7.log.gz', 'worker.stderr'].sort(),
  );
  const of = (number: number): Promise<string> => readFile(join(dir, `worker.${number}.log`), 'utf8');
  expect(await of(10)).toBe(`${'two'.repeat(40)}\n`);
  expect(await of(12)).toBe('four\n');
  expect(basename(dir)).toMatch(/^roll-/);
});
