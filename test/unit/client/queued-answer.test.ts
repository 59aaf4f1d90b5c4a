/** An answer without a worker: alerts know of it before the run does. Features: G7 C5. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { RunApi } from '../../../src/client/api/run.js';
import { send } from '../../../src/client/commands/steer/interventions.js';
import { runDir } from '../../../src/config/paths.js';
import type { Intervention } from '../../../src/protocol/command.js';
import { queuedAnswers } from '../../../src/run-files/queued-answers.js';

afterEach(() => vi.restoreAllMocks());

class Api extends RunApi {
  constructor(readonly said: string | undefined) {
    super(new Client({ connection: Connection.lazy({ address: '127.0.0.1:1', interceptors: [] }) }), 'shop');
  }
  override tell(): Promise<string | undefined> {
    return Promise.resolve(this.said);
  }
}

it('G7 C5: notes an answer that waits for a worker, and no other command', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl-queued-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const ref = { project: 'shop', runId: '20260101-000000-aaaa' };
  await mkdir(runDir(root, ref.project, ref.runId), { recursive: true });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const context = { root, cacheRoot: root, env: {}, cwd: root, json: false };
  const told = (command: Intervention, said?: string): Promise<number> =>
    send(context, { ...ref, api: new Api(said), worker: said !== undefined }, command);
  await told({ verb: 'answer', idea: 'a-1', text: 'red' }, 'a-1 has your answer');
  await told({ verb: 'hint', idea: 'a-1', text: 'try red' });
  expect(await queuedAnswers(root, ref)).toEqual([]);
  const before = Date.now();
  await told({ verb: 'answer', idea: 'a-1', text: 'red' });
  await told({ verb: 'answer', idea: 'a-2', text: 'blue', question: 'q111' });
  const noted = await queuedAnswers(root, ref);
  expect(noted).toMatchObject([{ idea: 'a-1' }, { idea: 'a-2', question: 'q111' }]);
  for (const { at } of noted) expect(at).toBeGreaterThanOrEqual(before);
});
