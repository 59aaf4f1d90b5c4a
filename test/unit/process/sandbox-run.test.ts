/** A program that runs in a sandbox: what the sandbox adds, what it tells, and that it is closed whatever happens. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type RunOptions, run } from '../../../src/process/run.js';
import type { OpenSandbox, Starting } from '../../../src/process/sandbox/launch.js';
import { sh } from './helpers.js';

interface Seen {
  starting?: Starting;
  closed: number;
}

/** As a real one, but for its walls. */
function opener(seen: Seen, told: string[] = []): OpenSandbox {
  return (starting) => {
    seen.starting = starting;
    return Promise.resolve({
      argv: (argv) => ['/bin/sh', '-c', 'echo inside; exec "$@"', 'sh', ...argv],
      env: (env) => ({ ...env, ADDED_KEY: 'not-a-secret-value' }),
      told: () => told,
      close: () => {
        seen.closed += 1;
        return Promise.resolve();
      },
    });
  };
}

const inSandbox = async (script: string, seen: Seen, more: Partial<RunOptions> = {}, told: string[] = []) =>
  sh(script, { sandbox: opener(seen, told), ...more });

it('wraps the command, adds to the environment, and passes the exit code', async () => {
  const seen: Seen = { closed: 0 };
  const options = await inSandbox('echo "$ADDED_KEY"; exit 7', seen);
  const done = await run(options);
  expect(done).toMatchObject({ exitCode: 7, tail: 'inside\nnot-a-secret-value\n' });
  expect(done).not.toHaveProperty('refused');
  expect(await readFile(options.outputFile, 'utf8')).toBe('inside\nnot-a-secret-value\n');
  expect(seen.starting?.argv).toEqual(options.argv);
  expect(seen.closed).toBe(1);
});

it('hides secrets of the program as ever, and none of what the sandbox adds', async () => {
  const seen: Seen = { closed: 0 };
  const env = { PATH: process.env.PATH ?? '', MY_TOKEN: 'hidden-secret-value' };
  const done = await run(await inSandbox('echo "$MY_TOKEN $ADDED_KEY"', seen, { env }));
  expect(done.tail).toBe('inside\n[redacted] not-a-secret-value\n');
});

it('tells what the sandbox refused', async () => {
  const done = await run(await inSandbox('true', { closed: 0 }, {}, ['it refused x']));
  expect(done.refused).toEqual(['it refused x']);
});

it('is closed after a stop and after a start that failed', async () => {
  const seen: Seen = { closed: 0 };
  const stopped = await run(await inSandbox('sleep 30', seen, { timeoutMs: 300, killGraceMs: 100 }));
  expect(stopped.stopped).toBe('timeout');
  expect(seen.closed).toBe(1);
  const broken: OpenSandbox = async (starting) => ({
    ...(await opener(seen)(starting)),
    argv: () => ['/no/such/program'],
  });
  const failed = await run(await sh('true', { sandbox: broken }));
  expect(failed.launchCode).toBe('ENOENT');
  expect(seen.closed).toBe(2);
});

it('runs nothing where the sandbox cannot be opened', async () => {
  const options = await sh('echo ran', { sandbox: () => Promise.reject(new Error('no sandbox here')) });
  await expect(run(options)).rejects.toThrow('no sandbox here');
  await expect(readFile(options.outputFile, 'utf8')).rejects.toThrow(/ENOENT/);
});
