/** The job process as its worker sees it, with the real one of the build. Feature: C6. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { findByToken } from '../../../../src/process/tokens.js';
import { FAILURE } from '../../../../src/protocol/failures.js';
import { JobProcess } from '../../../../src/worker/job-process/client.js';
import { bench } from '../../../activities/bench.js';
import { until } from '../../../support/program.js';

const program = fileURLToPath(new URL('../../../../dist/launcher.js', import.meta.url));

it('a job process that is halted is ended, its work is reported as lost, and the next one takes over', {
  timeout: 120_000,
}, async () => {
  const b = await bench({ agent: `cat > /dev/null; echo $$ > "$MARKS/$RALPHCTL_ITERATION"; exec sleep 600` });
  const lost: string[] = [];
  const jobProcess = new JobProcess({
    ...{ root: b.root, project: b.project, host: 'testhost', program, silentMs: 12_000 },
    onLost: (why) => lost.push(why),
  });
  onTestFinished(() => jobProcess.close());
  const context = { signal: new AbortController().signal, taskToken: 'dG9rZW4=', abandoned: () => false };
  const input = b.agentInput(await b.prepare());
  const work = jobProcess.doWork('runAgent', input, context).catch((error: unknown) => error);
  const [agent] = await until('the agent', async () => {
    const found = await findByToken(b.project);
    return found.length > 0 && found;
  });
  expect(agent).toBeDefined();
  const halted = jobProcess.pid ?? 0;
  process.kill(halted, 'SIGSTOP');
  expect(await work).toMatchObject({ type: FAILURE.workerLost, retryable: true });
  expect(lost).toEqual(['exit SIGKILL']);
  const stop = new AbortController();
  const again = jobProcess.doWork('runAgent', { ...input, iteration: 2 }, { ...context, signal: stop.signal });
  again.catch(() => undefined);
  await until('another agent', async () => (await b.read(join(b.marks, '2')).catch(() => '')) !== '');
  expect(jobProcess.pid).not.toBe(halted);
  // The one before it was ended first.
  expect((await findByToken(b.project)).some((one) => one.pid === agent?.pid)).toBe(false);
  stop.abort();
  await expect(again).rejects.toMatchObject({ type: FAILURE.workerLost });
});
