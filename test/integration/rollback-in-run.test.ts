/** A rollback while the run is open is a decision of a person: no later start undoes it. Features: C2, C3, D3. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';

let held: Held | undefined;
afterEach(() => held?.box.dispose());

it('C2: what a person takes off the target in an open run stays out of every next run until a retry', async () => {
  const step = { signal: 'COMPLETE' };
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'b-1', steps: [step, step] },
      { id: 'b-2', steps: [step] },
    ],
    { slots: 2 },
  );
  const { box } = held;
  await held.start();
  for (const id of ['b-1', 'b-2']) await held.began(id);
  await held.go('b-1-1');
  await held.idea('b-1', 'landed');
  expect((await box.run('rollback', 'b-1')).code).toBe(0);
  await held.idea('b-1', 'pending');
  expect(await held.why('b-1')).toMatchObject({ held: true });
  await held.go('b-2-1');
  await held.idea('b-2', 'landed');
  await box.run('stop');
  await held.finish();

  const out = /b-1 .*(?:ralphctl retry b-1)/;
  const dry = await box.run('start', '--dry-run');
  expect(dry.stdout + dry.stderr).toMatch(out);
  const report = (await box.run('report')).stdout;
  expect(report).not.toMatch(/the rest/);
  const next = await box.run('start');
  expect(next.stdout + next.stderr).toMatch(out);
  const landings = (await box.git('log', '--format=%s', 'main')).match(/^feat: do b-1/gm);
  expect(landings).toHaveLength(1);

  // Its retry takes it in again.
  expect((await box.run('retry', 'b-1')).code).toBe(0);
  expect((await box.run('start', '--dry-run')).stdout).toMatch(/^ +1 +b-1/m);
}, 240_000);
