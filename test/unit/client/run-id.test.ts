/** Names of runs. Feature: G6. */
import { expect, it } from 'vitest';
import { newRunId } from '../../../src/client/plan/run-plan.js';

it('runs are listed in the order of their starts, also where the clock was set back in between', () => {
  const first = newRunId(undefined, new Date('2026-11-21T23:59:59Z'));
  expect(first).toMatch(/^20261121-235959-[0-9a-z]{4}$/);
  const ids = [first];
  for (let n = 0; n < 3; n++) ids.push(newRunId(ids.at(-1), new Date('2026-11-21T20:00:00Z')));
  ids.push(newRunId(ids.at(-1), new Date('2026-12-01T08:00:00Z')));
  expect([...ids].sort()).toEqual(ids);
  expect(ids.at(-1)).toMatch(/^20261201-080000-/);
  expect(newRunId('some-folder', new Date('2026-01-01T00:00:00Z'))).toMatch(/^20260101-000000-/);
});
