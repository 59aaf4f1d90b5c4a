/** What anybody who reaches the server's port, or the repository, can do to an idea does not end it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAILURE } from '../../src/protocol/failures.js';
import { bench } from './bench.js';

it('an agent that the configuration does not have is ignored, with a warning: the own one works', async () => {
  const b = await bench();
  const result = await b.runAgent({ agent: 'x' });
  expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' }, agent: 'sh' });
  expect(result.warnings?.join()).toMatch(/told to use the agent "x", which the configuration does not have/);
});

it.each([
  ['', 'empty'],
  ['garbage\n', 'not one that git can read'],
])('B2: a checkout whose HEAD is %j is named, and waited for', async (text, how) => {
  const b = await bench();
  const at = await b.prepare();
  const head = join(b.repo, '.git/HEAD');
  await writeFile(head, text);
  const failed = await b.call(b.activities.runAgent, b.agentInput(at)).done.catch((error: unknown) => error);
  expect(failed).toMatchObject({ type: FAILURE.machine, nonRetryable: false });
  const { message } = failed as Error;
  expect(message).toContain(`HEAD of the checkout ${b.repo} is broken (${head} is ${how})`);
  await expect(b.prepare()).rejects.toMatchObject({ type: FAILURE.machine });
  // The command that it names.
  const fix = /Fix it: echo '([^']+)' > '([^']+)'/.exec(message);
  await writeFile(fix?.[2] ?? '', `${fix?.[1]}\n`);
  expect((await b.call(b.activities.runAgent, b.agentInput(at)).done).signal.kind).toBe('complete');
});
