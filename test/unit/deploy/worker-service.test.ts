/** deploy/ralphctl-worker.service: systemd gives the worker the time and the signals that its own shutdown needs. */
import { beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../../src/protocol/user-error.js';
import { read } from './files.js';

/** Beyond the grace, the worker gives its activities this long (`shutdownForceTime` in src/worker/workers.ts), seconds. */
const FORCE_SECONDS = 30;

let unit: Map<string, string[]>;
beforeAll(async () => {
  unit = new Map();
  let section = '';
  for (const line of (await read('deploy/ralphctl-worker.service')).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, header] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (header) {
      section = header;
      continue;
    }
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (!key) throw new Error(`neither a section nor a setting: ${line}`);
    unit.set(`${section}.${key}`, [...(unit.get(`${section}.${key}`) ?? []), value]);
  }
});
const only = (key: string): string => {
  const [value, ...more] = unit.get(key) ?? [];
  if (value === undefined || more.length > 0) throw new Error(`${key} does not stand there exactly once`);
  return value;
};

it('waits longer for the end than the worker needs to hand its work back', () => {
  const grace = Number(/ worker --grace (\d+)$/.exec(only('Service.ExecStart'))?.[1]);
  const stop = Number(/^(\d+)$/.exec(only('Service.TimeoutStopSec'))?.[1]);
  expect(grace).toBeGreaterThan(0);
  expect(stop).toBeGreaterThan(grace + FORCE_SECONDS);
});

it('sends the stop signal to the worker alone and leaves no process behind', () => {
  expect(only('Service.KillMode')).toBe('mixed');
  expect(unit.has('Service.KillSignal')).toBe(false);
});

it('comes back after a failure, but not after a stop or bad input', () => {
  expect(only('Service.Restart')).toBe('on-failure');
  expect(only('Service.RestartPreventExitStatus').split(' ')).toEqual([String(EXIT.usage)]);
  expect(only('Unit.StartLimitIntervalSec')).toBe('0');
});

it('names a cluster, as an embedded server would end with this service', () => {
  expect(unit.get('Service.Environment')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^TEMPORAL_ADDRESS=127\.0\.0\.1:7233$/)]),
  );
});

it('holds no path of one machine', async () => {
  expect(await read('deploy/ralphctl-worker.service')).not.toMatch(/\/(home|Users|root|work)\//);
});
