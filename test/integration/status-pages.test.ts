/** A run with more ideas than `status` shows at once. Features: A8 G9. */

import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { autopilotId, STATUS } from '../../src/protocol/names.js';
import type { IdeaPage, RunStatus } from '../../src/protocol/views.js';
import { dataConverter } from '../../src/server/codec.js';
import { Held } from '../support/held.js';

const ids = Array.from({ length: 230 }, (_, at) => `i-${at + 1}`);
let held: Held;

beforeAll(async () => {
  held = await Held.open(
    inject('stateRoot'),
    ids.map((id) => ({ id, steps: [{ signal: 'COMPLETE' }] })),
  );
  await held.start('--mode', 'semi-auto');
  await held.state('waiting_user');
  await held.box.run('skip', 'i-7');
}, 120_000);
afterAll(() => held?.box.dispose());

const list = async (...flags: string[]): Promise<IdeaPage> => {
  const { json } = await held.box.run('status', '--json', ...flags);
  return json[0]?.list as IdeaPage;
};

it('status --all has every idea in backlog order, with what became of it', async () => {
  const { total, lines } = await list('--all');
  expect(total).toBe(230);
  expect(lines.map((line) => line.id)).toEqual(ids);
  expect(lines[6]?.status).toBe('skipped');
});

it('a page has a hundred of them, and says how to see the next', async () => {
  expect((await list('--page', '3')).lines.map((line) => line.id)).toEqual(ids.slice(200));
  const { stdout } = await held.box.run('status', '--page', '1');
  expect(stdout).toMatch(/ideas 1 to 100 of 230\n {2}pending {5}i-1 .*\n/);
  expect(stdout).toContain('next: ralphctl status --page 2');
});

it('only some statuses, or a refusal that names those there are', async () => {
  expect((await list('--only', 'skipped')).lines.map((line) => line.id)).toEqual(['i-7']);
  const refused = await held.box.run('status', '--only', 'done');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('there are pending, running');
});

it('status without any of it has no list, and the query of older clients is answered as ever', async () => {
  expect(await list()).toBeUndefined();
  const connection = await Connection.connect({ address: inject('address') });
  try {
    const { json } = await held.box.run('status', '--json');
    const client = new Client({ connection, dataConverter });
    const id = autopilotId(String(json[0]?.project));
    const view = await client.workflow.getHandle(id).query<RunStatus>(STATUS);
    expect(view).toMatchObject({ state: 'waiting_user', total: 230, counts: { pending: 229, skipped: 1 } });
    expect(view.next).toHaveLength(10);
  } finally {
    await connection.close();
  }
});
