/** What `status` calls a run between its last work and the end of its workflow. Features: A8 C1. */
import { expect, it } from 'vitest';
import { stateAtClose } from '../../../src/client/model/closing.js';
import type { SummaryFile } from '../../../src/model/facts.js';

const answer = { state: 'completed', runId: 'r-2' } as const;
const summary = (outcome: SummaryFile['outcome'], runId = 'r-2') =>
  ({ outcome, status: { runId } }) as unknown as SummaryFile;

it('C1: an abort is no completed run, though the worker answers so while the run closes', () => {
  expect(stateAtClose(answer, { state: 'stopping' }, undefined)).toBe('stopping');
  expect(stateAtClose(answer, { state: 'stopping' }, summary('aborted'))).toBe('stopping');
  expect(stateAtClose(answer, undefined, summary('stopped'))).toBe('stopping');
  expect(stateAtClose(answer, { state: 'aborted' }, undefined)).toBe('stopping');
  // An older run's tells nothing of this one.
  expect(stateAtClose(answer, { state: 'stopping' }, summary('completed', 'r-1'))).toBe('stopping');
});

it('A8: a run that nobody ended is completed, and one that works is as the worker says', () => {
  expect(stateAtClose(answer, { state: 'running' }, undefined)).toBe('completed');
  expect(stateAtClose(answer, undefined, undefined)).toBe('completed');
  expect(stateAtClose(answer, { state: 'running' }, summary('completed'))).toBe('completed');
  expect(stateAtClose({ ...answer, state: 'paused' }, { state: 'stopping' }, undefined)).toBe('paused');
});
