/**
 * The name of this host in task queues. An idea returns to the queue of the host with its worktree, so the name must
 * survive a change of the host name. ralphctl stores it in the state folder, beside the worktrees.
 * Invariant: never changes once written. Two workers that write it concurrently both get the first one's name.
 */
import { randomBytes } from 'node:crypto';
import { access, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readOwn } from '../config/own-files.js';
import { takenDir } from '../config/paths.js';
import { StoredFileError } from '../config/stored-error.js';

const LABEL = /^[A-Za-z0-9.-]{1,200}$/;
const FIX = 'Remove the file: the next worker writes a new one and also serves open runs under the old name';

const safe = (name: string): string => name.replace(/[^A-Za-z0-9.-]/g, '-');

/** `RALPHCTL_HOST` sets it where neither the host name nor the state folder lasts. */
export async function hostLabel(root: string, env: NodeJS.ProcessEnv, name = hostname()): Promise<string> {
  if (env.RALPHCTL_HOST) return safe(env.RALPHCTL_HOST);
  const path = join(root, 'host');
  return (await read(path)) ?? (await keep(path, await firstLabel(root, safe(name) || 'localhost')));
}

async function read(path: string): Promise<string | undefined> {
  const text = await readOwn(path, FIX);
  if (text === undefined) return undefined;
  // Another name would mean another queue, and ideas in the old queue would wait for ever.
  if (!LABEL.test(text.trim())) throw new StoredFileError(path, 'broken', 'holds no name of a host', FIX);
  return text.trim();
}

/** Runs of 0.1 may be open under the plain host name. */
async function firstLabel(root: string, name: string): Promise<string> {
  const projects = await readdir(join(root, 'projects')).catch(() => []);
  const served = await Promise.all(
    projects.map((project) =>
      access(takenDir(root, project)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return served.includes(true) ? name : `${name}-${randomBytes(4).toString('hex')}`;
}

/** Creates the file by link, so that readers never see a partial file and the first writer wins. */
async function keep(path: string, label: string): Promise<string> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(draft, `${label}\n`, { mode: 0o600 });
    await link(draft, path);
  } catch {
    // Another worker was first, or the folder is read-only, which other code reports.
  } finally {
    await rm(draft, { force: true });
  }
  return (await read(path)) ?? label;
}
