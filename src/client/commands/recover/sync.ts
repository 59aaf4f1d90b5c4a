/** `ralphctl sync`: updates checkouts that fell behind their branch when work landed, and keeps edits. Needs only git. */
import { rememberedTargets } from '../../../git/landing/checkout.js';
import { syncCheckout } from '../../../git/landing/sync.js';
import { EXIT } from '../../../protocol/user-error.js';
import { type Context, findProject, print, printJson } from '../../context.js';

export async function sync(context: Context, { conflicts = false }: { conflicts?: boolean }): Promise<number> {
  const { root } = (await findProject(context)).repository;
  let synced = 0;
  for (const target of await rememberedTargets(root)) {
    const done = await syncCheckout(root, target, conflicts);
    if (!done) continue;
    synced += 1;
    if (context.json) {
      printJson({ kind: 'synced', target, ...done });
      continue;
    }
    const { paths, merged } = done;
    print(`updated ${many(paths, 'file')} in ${done.checkout} to ${target}: ${some(paths)}`);
    if (merged.length > 0) print(`merged with your edits: ${some(merged)}`);
    if (done.conflicts.length > 0) {
      print(`resolve the conflict markers ("your edits" and "${target}") in: ${some(done.conflicts)}`);
      print('git does not mark these files as unmerged, so it does not stop you from committing the markers');
    }
    if (done.saved)
      print(
        `to get the state before as a branch: ralphctl saves restore checkout ${done.saved.split('/').at(-1) ?? ''}`,
      );
  }
  if (synced === 0 && context.json) printJson({ kind: 'level' });
  else if (synced === 0) print('every checkout is up to date with its branch');
  return EXIT.ok;
}

const many = (list: readonly string[], noun: string): string => `${list.length} ${noun}${list.length === 1 ? '' : 's'}`;
const some = (list: readonly string[]): string =>
  list.length > 5 ? `${list.slice(0, 5).join(', ')} and ${list.length - 5} more` : list.join(', ');
