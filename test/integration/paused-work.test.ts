/** A pause of one idea in its last iteration: its work waits for the resume. Features: C1, D1. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';

let held: Held | undefined;
afterEach(() => held?.box.dispose());

it('C1: work that a paused idea finished lands once it resumes, and others land meanwhile', async () => {
  const step = { signal: 'COMPLETE' };
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'w-1', steps: [step] },
      { id: 'w-2', steps: [step] },
    ],
    { slots: 2 },
  );
  const { box } = held;
  await held.start();
  await held.began('w-1');
  await held.began('w-2');
  const { stdout } = await box.run('pause', 'w-1');
  expect(stdout).toContain('w-1 pauses after its running step');
  await held.go('w-1-1');
  expect((await held.idea('w-1', 'paused')).reason).toBe(
    'its work is done; it lands once it resumes: ralphctl resume w-1',
  );
  await held.go('w-2-1');
  await held.idea('w-2', 'landed');
  expect(await held.why('w-1')).toMatchObject({ status: 'paused' });
  expect((await box.run('logs')).stdout).toMatch(/w-1.*paused: its work is done; it lands once it resumes/);
  expect((await box.run('resume', 'w-1')).code).toBe(0);
  expect((await held.finish()).landed).toBe(2);
  expect(await held.times('w-1', 1)).toBe(1);
}, 240_000);
