import { expect, it } from 'vitest';
import { plainEnv } from '../../../src/server/install/probe.js';

it('a server gets what programs need and the bounds of its memory, no credentials and no Temporal settings', () => {
  const kept = { HOME: '/home/x', PATH: '/bin', GOGC: '400', GOMEMLIMIT: '1GiB' };
  const left = { TEMPORAL_API_KEY: 'x', TEMPORAL_ADDRESS: 'x', AWS_SECRET_ACCESS_KEY: 'x', GODEBUG: 'x', TZ: '' };
  expect(plainEnv({ ...kept, ...left })).toEqual(kept);
});
