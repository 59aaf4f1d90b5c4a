import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Logs of the gate of an agent run, in the order in which its commands ran. */
export async function gateLogs(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'gate')).catch(() => []);
  const order = (name: string): [number, number] => [
    Number(/\d+/.exec(name)?.[0] ?? Number.MAX_SAFE_INTEGER),
    name.includes('again') ? 1 : 0,
  ];
  return names
    .filter((name) => name.endsWith('.log'))
    .sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1] || a.localeCompare(b))
    .map((name) => join(dir, 'gate', name));
}
