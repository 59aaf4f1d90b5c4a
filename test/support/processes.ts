/** Looks at processes from outside, as a person with `ps` would. */
import { readdir, readFile } from 'node:fs/promises';

/** Pids of processes whose command line has all the words as arguments. */
export async function pidsWith(...words: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const args = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (args.length > 1 && words.every((word) => args.includes(word))) found.push(Number(name));
  }
  return found;
}
