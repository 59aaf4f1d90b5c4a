/**
 * A stash of a checkout that lagged holds the old files: when it comes back, so do they. So the checkout stays remembered
 * while there is one.
 * Invariant: reads only.
 */
import { git } from '../runner.js';
import { changedPaths } from './checkout.js';

const MOST_STASHES = 50;

/** Whether a stash holds the old version of a path that changes from `base` to `tip`, staged or as a file. */
export async function isStashed(dir: string, base: string, tip: string): Promise<boolean> {
  const args = ['log', '-g', `-${MOST_STASHES}`, '--format=%H %P', 'refs/stash', '--'];
  const { code, stdout } = await git(dir).result(args, { ok: [0, 128], read: true });
  if (code !== 0 || stdout === '') return false;
  const moved = await changedPaths(dir, base, tip);
  for (const line of stdout.split('\n').filter(Boolean)) {
    const [files = '', , index = ''] = line.split(' ');
    for (const one of [files, index].filter(Boolean)) {
      const off = new Set(await changedPaths(dir, base, one));
      const against = new Set(await changedPaths(dir, tip, one));
      if (moved.some((path) => !off.has(path) && against.has(path))) return true;
    }
  }
  return false;
}
