/** An alert whose worker dies between the receiver's answer and the note of it, in the real job process. Features: G7 C6. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { FAILURE } from '../../../../src/protocol/failures.js';
import { JobProcess } from '../../../../src/worker/job-process/client.js';
import { bench } from '../../../activities/bench.js';
import { receiver } from '../../../support/receiver.js';

const program = fileURLToPath(new URL('../../../../dist/launcher.js', import.meta.url));
const alert = {
  id: '20260101-000000-aaaa.t-1.question.1',
  counts: { question: 1 },
  items: [
    {
      ...{ id: '20260101-000000-aaaa.t-1.question.1', kind: 'question', run: '20260101-000000-aaaa', idea: 't-1' },
      ...{ text: 'which?', command: 'ralphctl answer t-1 "…"', at: 0 },
    },
  ],
};

it('G7: an alert that was taken, but whose worker died before its note, comes again with the same id', {
  timeout: 120_000,
}, async () => {
  // Halted before it can read the answer, and killed once the answer is out: it can note nothing.
  const hook = await receiver((response, number) => {
    const pid = jobProcess.pid ?? 0;
    if (number === 1) process.kill(pid, 'SIGSTOP');
    response.writeHead(204).end(() => number === 1 && process.kill(pid, 'SIGKILL'));
  });
  onTestFinished(() => hook.close());
  const b = await bench({ config: { notify: { rows: [{ name: 'ops', to: 'webhook', url: hook.url }] } } });
  const jobProcess = new JobProcess({
    root: b.root,
    project: b.project,
    host: 'testhost',
    program,
    onLost: () => undefined,
  });
  onTestFinished(() => jobProcess.close());
  const context = { signal: new AbortController().signal, taskToken: 'dG9rZW4=', abandoned: () => false };
  const deliver = () => jobProcess.doWork('deliverAlert', { ...b.ref, row: 'ops', alert } as never, context);
  await expect(deliver()).rejects.toMatchObject({ type: FAILURE.workerLost });
  const noted = join(b.root, 'projects', b.project, 'runs', b.ref.runId, 'alerts', 'delivered.jsonl');
  await expect(readFile(noted)).rejects.toThrow('ENOENT');
  // As the server has the activity done again.
  expect(await deliver()).toEqual({ outcome: 'delivered', to: 'webhook' });
  expect(await deliver()).toEqual({ outcome: 'before', to: 'webhook' });
  expect(hook.received.map(({ headers }) => headers['webhook-id'])).toEqual([alert.id, alert.id]);
  expect((await readFile(noted, 'utf8')).trimEnd().split('\n')).toHaveLength(1);
});
