/** An agent's own files, as a sandbox needs them on the disk: made where they are missing, and none of its settings a link. */
import { lstatSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { OwnPlaces } from '../agents/own-places.js';
import { isWithin, type Rule } from '../process/sandbox/mounts.js';
import { FAILURE } from '../protocol/failures.js';
import { WorkError } from './job.js';

type Own = Pick<OwnPlaces, 'state' | 'settings' | 'fresh' | 'made'>;

export function kindOf(path: string): Rule['kind'] | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

/**
 * Settings that are missing are made empty: what is there is shown and cannot be written, and nothing can take the place
 * of what is not there. A link could be replaced, because only what it leads to can be protected.
 * @throws WorkError where a setting is a link
 */
export async function prepareOwn({ state, settings, fresh, made }: Own): Promise<void> {
  for (const folder of state) await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [path, text] of Object.entries(made)) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await makeFile(path, text);
  }
  for (const path of fresh) await mkdir(path, { recursive: true, mode: 0o700 });
  for (const path of [...settings, ...fresh]) {
    if (!state.some((folder) => isWithin(path, folder)) || !isLink(path)) continue;
    const message = `${path} is a link, which an agent in a sandbox could replace. Put there what it leads to, or say sandbox: off`;
    throw new WorkError(message, FAILURE.badInput);
  }
  for (const path of settings) {
    if (!state.some((folder) => isWithin(path, folder)) || kindOf(path)) continue;
    if (/\.[a-z]+$/.test(path)) await makeFile(path, emptyOf(path));
    else await mkdir(path, { recursive: true, mode: 0o700 });
  }
}

/** Another agent may have begun at the same moment. */
async function makeFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** As little as its program accepts without a complaint. */
function emptyOf(path: string): string {
  if (!path.endsWith('.json')) return '';
  return basename(path) === 'mcp-config.json' ? '{"mcpServers":{}}\n' : '{}\n';
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
