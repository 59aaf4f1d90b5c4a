/** What doctor says about the service and about keeping the machine awake. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { install } from '../../../../src/client/commands/setup/service.js';
import { findProject } from '../../../../src/client/context.js';
import type { Check } from '../../../../src/client/doctor/check.js';
import { checkUnattended } from '../../../../src/client/doctor/unattended.js';
import { systemdManager } from '../../../../src/client/service/systemd.js';
import { defaultConfig } from '../../../../src/config/load.js';
import { type Place, place, printed } from './stand-ins.js';

let here: Place;
let battery = false;
beforeEach(async () => {
  battery = false;
  here = await place();
  await here.program('systemd-inhibit', 'for last; do :; done; "$last"');
});
afterEach(() => here?.dispose());

async function checks(awake: 'on' | 'off' | 'always' = 'on', platform: NodeJS.Platform = 'linux'): Promise<Check[]> {
  const machine = { platform, power: { onBattery: async () => battery }, program: here.cli };
  const config = { ...defaultConfig(), awake };
  return checkUnattended(here.context, await findProject(here.context), config, machine);
}

it('the service: none, well, or with what is wrong and its fix', async () => {
  expect((await checks())[0]).toMatchObject({ state: 'info', found: expect.stringContaining('service install') });
  const tools = { manager: systemdManager(here.context.env), program: here.cli };
  await printed(() => install(here.context, {}, tools));
  expect((await checks())[0]).toMatchObject({ state: 'ok', found: expect.stringContaining('goes on after a reboot') });
  await rm(`${here.context.env.HOME}/linger`);
  expect((await checks())[0]).toMatchObject({
    ...{ state: 'warn', found: expect.stringContaining('lingering is off') },
    fix: expect.stringContaining('loginctl enable-linger'),
  });
});

it('awake: by what it works, and why it does not', async () => {
  const awake = async (...args: Parameters<typeof checks>): Promise<Check | undefined> => (await checks(...args))[1];
  expect(await awake()).toMatchObject({
    state: 'ok',
    found: 'systemd-inhibit keeps the machine awake while agents run',
  });
  battery = true;
  expect(await awake()).toMatchObject({ state: 'ok', found: 'systemd-inhibit works; not now, on battery' });
  expect((await awake('always'))?.found).toContain('keeps the machine awake');
  expect(await awake('off')).toMatchObject({ state: 'info', found: expect.stringContaining('off in ralphctl.yaml') });
  expect(await awake('on', 'freebsd')).toMatchObject({
    state: 'info',
    found: expect.stringContaining('not on freebsd'),
  });
  await here.program('systemd-inhibit', 'echo "Failed to inhibit: Access denied" >&2; exit 1');
  expect(await awake()).toMatchObject({ state: 'warn', fix: expect.stringContaining('polkit') });
  await here.program('systemd-inhibit', 'echo "Failed to connect to bus: No such file or directory" >&2; exit 1');
  expect(await awake()).toMatchObject({ state: 'info', found: expect.stringContaining('Failed to connect to bus') });
});

it('awake: a system that does not answer holds doctor up for a moment only', async () => {
  await here.program('systemd-inhibit', 'exec sleep 600');
  const machine = {
    platform: 'linux',
    power: { onBattery: async () => false },
    program: here.cli,
    answerMs: 300,
  } as const;
  const [, awake] = await checkUnattended(here.context, await findProject(here.context), defaultConfig(), machine);
  expect(awake).toMatchObject({
    state: 'info',
    found: 'the machine may sleep while agents run: systemd-inhibit did not answer within 0.3 s',
  });
});
