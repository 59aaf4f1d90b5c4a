/**
 * Who claims items: a random name of this installation and project, kept in the state folder. Two machines never have
 * the same, whatever their names and paths are.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { projectDir } from '../../config/paths.js';

const NAME = /^[0-9a-f]{16}$/;

export async function ownerHere(root: string, project: string): Promise<string> {
  const dir = projectDir(root, project);
  const path = join(dir, 'tracker-owner');
  const known = ((await readOwn(path).catch(() => undefined)) ?? '').trim();
  if (NAME.test(known)) return known;
  await mkdir(dir, { recursive: true });
  const fresh = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(fresh, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flush: true });
  // Of two processes that come here at once, one wins.
  if (known !== '') await rm(path, { force: true });
  await link(fresh, path).catch(() => undefined);
  await rm(fresh, { force: true });
  return ((await readOwn(path)) ?? '').trim();
}
