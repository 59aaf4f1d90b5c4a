/** A run that waits on queues of a host name that is no longer this host's. Features: B3, B5, D1. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, inject, it } from 'vitest';
import { dataConverter } from '../../src/server/codec.js';
import { otherHosts } from '../../src/worker/old-hosts.js';
import { DONE, Held } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

it('B5: a run that was opened under an old name of the host finds its worker; runs of another machine do not', async () => {
  held = await Held.open(inject('stateRoot'), [{ id: 'a-1', steps: [DONE] }]);
  const { box, stateRoot } = held;
  const waits = (what: string) =>
    until(what, async () => ((await held.why('a-1')).reason ?? '').includes(what), 120_000);
  // Queues as an older version made them: of a name that the state folder does not keep.
  box.env.RALPHCTL_HOST = 'old-name';
  await held.start('--mode', 'step');
  await waits('its next iteration waits');
  expect((await box.run('worker', '--stop')).code).toBe(0);
  delete box.env.RALPHCTL_HOST;

  const { project } = (await box.run('status', '--json')).json[0] as { project: string };
  const elsewhere = await mkdtemp(join(tmpdir(), 'ralphctl-elsewhere-'));
  const connection = await Connection.connect({ address: inject('address') });
  try {
    const client = new Client({ connection, dataConverter });
    const ask = (root: string, own: string) => otherHosts(client, { root, project, own });
    expect(await ask(stateRoot, 'new-name')).toEqual(['old-name']);
    expect(await ask(stateRoot, 'old-name')).toEqual([]);
    expect(await ask(elsewhere, 'new-name')).toEqual([]);
  } finally {
    await connection.close();
    await rm(elsewhere, { recursive: true });
  }

  await held.start();
  await waits('its next iteration waits');
  expect((await box.run('approve', 'a-1')).code).toBe(0);
  await waits('its landing waits');
  expect((await box.run('approve', 'a-1')).code).toBe(0);
  expect(await held.finish()).toMatchObject({ landed: 1, notLanded: [] });
});
