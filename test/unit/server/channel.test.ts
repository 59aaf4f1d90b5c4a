/** A channel that is closed while a call on it waits for its next try. Features: C6. */
import * as sdk from '@temporalio/client';
import { expect, it, vi } from 'vitest';
import { channel } from '../../../src/server/channel.js';

it('fails a call that is tried again after the channel was closed, and the process goes on', async () => {
  const address = '127.0.0.1:1';
  const { interceptors = [] } = channel(address, sdk);
  const retry = interceptors[0];
  if (!retry) throw new Error('nothing tries again');
  let tries = 0;
  const connection = sdk.Connection.lazy({
    address,
    interceptors: [
      (options, nextCall) =>
        retry(options, (again) => {
          tries += 1;
          return nextCall(again);
        }),
    ],
  });
  const answer = connection.workflowService.getSystemInfo({});
  answer.catch(() => undefined);
  await vi.waitFor(() => expect(tries).toBeGreaterThan(1), { timeout: 10_000 });
  await connection.close();
  await expect(answer).rejects.toMatchObject({ details: expect.stringMatching(/shut down/) });
});

it('asks only other hosts through a proxy', () => {
  expect(channel('127.0.0.1:7233', sdk).channelArgs).toEqual({ 'grpc.enable_http_proxy': 0 });
  expect(channel('temporal.example:7233', sdk).channelArgs).toEqual({});
});
