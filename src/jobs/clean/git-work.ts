/**
 * Worktrees and saves of a repository that go.
 * Invariant: each worktree goes under the lock of the closed project, which a run that starts waits for, so that it is
 * held for a moment only. No worktree and no save goes while a run may be open.
 */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { integrationDir, projectDir, worktreesDir } from '../../config/paths.js';
import { readNote, STORED_VERSION } from '../../config/stored.js';
import { type SaveFacts, savesThatGo, type WorktreeFacts, worktreesThatGo } from '../../decide/retention/what-goes.js';
import { landedCommits } from '../../git/landing/landed.js';
import { dropSaves, landedJudge } from '../../git/saves/landed-saves.js';
import { readReflogs } from '../../git/saves/list.js';
import { listSaves, type SavePoint } from '../../git/saves/saves.js';
import { dropWorktree, type Held, holdings, ownWorktrees } from '../../git/worktrees/unused.js';
import type { CleanedItem } from '../../protocol/retention.js';
import { writeAtomically } from '../../run-files/run.js';
import type { Cleaning } from './clean.js';
import { mayBeOpen, whileClosed } from './closed.js';
import { cleanKept, cleanUnregistered } from './kept.js';
import { deleteAway, sizeOf, sweep, trashName } from './own.js';

export async function cleanWorktrees(cleaning: Cleaning): Promise<void> {
  const { root, project, place, rules, now, out } = cleaning;
  if (!place) return;
  const usable = async (folder: string): Promise<string | undefined> =>
    (await out.mayClean(folder)) ? folder : undefined;
  const folders = {
    worktrees: await usable(place.worktreesRoot ?? worktreesDir(root, project)),
    integration: await usable(integrationDir(root, project)),
  };
  for (const folder of Object.values(folders))
    if (folder !== undefined && !cleaning.dryRun) cleaning.sweptAway(await sweep(folder), folder);
  const open = await mayBeOpen(cleaning);
  if (!open && folders.worktrees !== undefined) {
    await cleanKept(cleaning, folders.worktrees);
    await cleanUnregistered(cleaning, folders.worktrees);
  }
  for (const tree of open ? [] : await ownWorktrees(place.repo, folders)) {
    if (cleaning.stop()) return;
    const { path, at, locked } = tree;
    const facts = (held: Held): WorktreeFacts => ({ path, at, locked, ...held });
    // Reads the files of those only that are old enough.
    const old = worktreesThatGo([facts({ unsaved: false, kept: true })], rules, { now: now.getTime(), open });
    if (old.goes.length + old.stays.length === 0 || !(await out.mayClean(path))) continue;
    const decided = worktreesThatGo([facts(await holdings(tree))], rules, { now: now.getTime(), open });
    out.told.push(...decided.stays);
    const [goes] = decided.goes;
    if (!goes) continue;
    const bytes = await sizeOf(path, cleaning.stop);
    const item: CleanedItem = { what: 'worktree', name: path, bytes, why: goes.why };
    if (cleaning.dryRun) cleaning.done(item);
    else
      await out.trying(path, async () => {
        const aside = trashName(dirname(path));
        if (!(await whileClosed(cleaning, () => dropWorktree(place.repo, tree, aside)))) return;
        cleaning.done(item);
        await deleteAway(aside);
      });
  }
}

export async function cleanSaves(cleaning: Cleaning): Promise<void> {
  const { place, rules, now, out } = cleaning;
  if (!place || (await mayBeOpen(cleaning))) return;
  const saves = await listSaves(place.repo);
  const times = await savedAt(cleaning, saves);
  const at = ({ ref }: SavePoint): number => times.get(ref) ?? now.getTime();
  const about = { now: now.getTime(), open: false, byItself: cleaning.byItself };
  // Asks git about those only that may go; both ages count as if each had landed or not.
  const old = saves.filter((save) =>
    [true, false].some((landed) => {
      const { goes, stays } = savesThatGo([{ ref: save.ref, at: at(save), landed }], rules, about);
      return goes.length + stays.length > 0;
    }),
  );
  if (old.length === 0) return;
  const landed = await landedCommits(place.repo, place.target, place.backlogPath).catch(
    () => new Map<string, string>(),
  );
  const hasLanded = await landedJudge(place.repo, { target: place.target, landed });
  const facts: SaveFacts[] = [];
  for (const save of old) {
    if (cleaning.stop()) break;
    facts.push({ ref: save.ref, at: at(save), landed: await hasLanded(save) });
  }
  const within = new Set(facts.filter((one) => one.landed).map(({ ref }) => ref));
  const { goes, stays } = savesThatGo(facts, rules, about);
  out.told.push(...stays);
  const by = new Map(old.map((save) => [save.ref, save]));
  const items = goes.flatMap(({ name, why }): CleanedItem[] => {
    const commit = by.get(name)?.commit;
    return commit === undefined ? [] : [{ what: 'save', name, bytes: 0, why, commit }];
  });
  if (items.length === 0) return;
  // A person reads each of them before the first one goes.
  for (const item of items) if (!within.has(item.name)) cleaning.announce(item);
  const drop = (): Promise<boolean> =>
    dropSaves(
      place.repo,
      items.map(({ name, commit = '' }) => ({ ref: name, commit })),
    ).then(() => true);
  if (cleaning.dryRun || (await whileClosed(cleaning, drop))) for (const item of items) cleaning.done(item);
}

const seenShape = z.record(z.string(), z.object({ commit: z.string(), at: z.number() }));

/**
 * When each save was made. Git forgets that after some months, and the time of its commit may be older: then the time
 * counts at which a cleaning saw it first.
 */
async function savedAt(cleaning: Cleaning, saves: readonly SavePoint[]): Promise<Map<string, number>> {
  const { root, project, place, now } = cleaning;
  const made = place && saves.length > 0 ? await readReflogs(place.repo) : new Map<string, { at: number }>();
  const path = join(projectDir(root, project), 'saves-seen.json');
  const file = await readNote(path, z.looseObject({ saves: seenShape }), 'skip').catch(() => undefined);
  const seen: Record<string, { commit: string; at: number }> = {};
  for (const { ref, commit, head, at } of saves) {
    const before = file?.saves[ref];
    const known = before?.commit === commit ? before.at : undefined;
    // Ralphctl made the commit of a save with uncommitted work together with the save.
    seen[ref] = { commit, at: made.get(ref)?.at ?? known ?? (head !== commit ? at : now.getTime()) };
  }
  const there = await stat(projectDir(root, project)).catch(() => undefined);
  if (!cleaning.dryRun && there && saves.length > 0)
    await writeAtomically(path, JSON.stringify({ version: STORED_VERSION, saves: seen })).catch(() => undefined);
  return new Map(Object.entries(seen).map(([ref, { at }]) => [ref, at]));
}
