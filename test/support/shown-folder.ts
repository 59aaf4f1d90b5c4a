/** A folder that a sandbox shows as it is: it has folders of its own in the place of /tmp, /dev and /run. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const OWN = /^\/(?:tmp|var\/tmp|dev|run|var\/run|proc)\//;

/** Undefined where checkout and home folder are both below such a place. */
export const shownFolder: string | undefined = [
  fileURLToPath(new URL('../../node_modules/.wall', import.meta.url)),
  join(homedir(), '.cache', 'ralphctl-tests'),
].find((path) => !OWN.test(path));

/** A new folder there, which goes with the test. */
export async function inShownFolder(name: string): Promise<string> {
  if (shownFolder === undefined) throw new Error('neither checkout nor home folder is one that a sandbox shows');
  await mkdir(shownFolder, { recursive: true });
  const folder = await mkdtemp(join(shownFolder, name));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
