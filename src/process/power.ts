/**
 * Whether this machine runs on its battery. Invariant: reads only; a machine that does not say is not on battery.
 * Must not know what asks.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

export interface PowerSource {
  /** Never rejects. */
  onBattery(): Promise<boolean>;
}

const ASK_MS = 10_000;

export const powerSource = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): PowerSource =>
  platform === 'darwin' ? pmset(env) : sysfs();

/** As the Linux kernel has it: a folder for each supply. */
export const sysfs = (folder = '/sys/class/power_supply'): PowerSource => ({
  onBattery: async () => {
    const names = await readdir(folder).catch(() => []);
    const supplies = await Promise.all(names.map((name) => supplyAt(join(folder, name))));
    if (supplies.some(({ type, online }) => type !== 'Battery' && online === '1')) return false;
    // A mouse has a battery, too: its scope is the device.
    return supplies.some(
      ({ type, scope, status }) => type === 'Battery' && scope !== 'Device' && status === 'Discharging',
    );
  },
});

async function supplyAt(dir: string): Promise<Record<'type' | 'online' | 'scope' | 'status', string>> {
  const value = (name: string): Promise<string> =>
    readFile(join(dir, name), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  const [type, online, scope, status] = await Promise.all(['type', 'online', 'scope', 'status'].map(value));
  return { type: type ?? '', online: online ?? '', scope: scope ?? '', status: status ?? '' };
}

/** Never run on a Mac. */
const pmset = (env: NodeJS.ProcessEnv): PowerSource => ({
  onBattery: async () => {
    const options = { env, extendEnv: false, reject: false, stdin: 'ignore', timeout: ASK_MS } as const;
    const got = await execa('pmset', ['-g', 'batt'], options);
    return /Now drawing from 'Battery Power'/.test(String(got.stdout ?? ''));
  },
});
