/** A wait that has an end. Feature: G4. */
import { expect, it } from 'vitest';
import { within } from '../../../src/client/screen/attached.js';

it('ends although what it waits for never does, and tells it so', async () => {
  let signal: AbortSignal | undefined;
  const never = (given: AbortSignal): Promise<string> => {
    signal = given;
    return new Promise(() => undefined);
  };
  expect(await within(20, never)).toBeUndefined();
  expect(signal?.aborted).toBe(true);
});

it('gives what comes in time, also an error', async () => {
  expect(await within(60_000, () => Promise.resolve('done'))).toBe('done');
  await expect(within(60_000, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});
