/** What stands on the way to a path of a checkout. Invariant: reads only, and follows no symbolic link. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** The first parent of the path that exists and is no folder: git does not write through it. */
export async function blockingParent(
  checkout: string,
  path: string,
  known = new Map<string, Promise<boolean>>(),
): Promise<string | undefined> {
  const names = path.split('/');
  for (let length = 1; length < names.length; length++) {
    const parent = names.slice(0, length).join('/');
    const blocks = known.get(parent) ?? isNoFolder(join(checkout, parent));
    known.set(parent, blocks);
    if (await blocks) return parent;
  }
  return undefined;
}

const isNoFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => !info.isDirectory(),
    () => false,
  );
