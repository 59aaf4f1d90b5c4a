/**
 * The target moves by landings of ralphctl and by commits, pulls and merges of people. ralphctl asks about any other
 * move before the next landing builds on it.
 * Invariant: ralphctl records a move before it makes it, so that a crash in between does not look like a foreign move.
 * A tip that an idea asked about is accepted once that idea returns and the tip is unchanged.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryError } from '../errors.js';
import { readTip } from '../refs.js';
import { isLogged, type KnownTarget, strangeMove } from './target-evidence.js';
import { type Wall, wallAt } from './wall.js';
import { readJson, writeJson } from './wall-sections.js';

interface Known extends KnownTarget {
  /** The tips of ralphctl's own latest moves. */
  ours?: string[];
  asked?: { tip: string; ideas: string[] };
}

const MOST_OURS = 200;

const fileOf = (wall: Wall, target: string): string => join(wall.dir, `target-${encodeURIComponent(target)}.json`);

/** At the start of a run: records the tip of the target. */
export async function watchTarget(repo: string, target: string): Promise<void> {
  const wall = wallAt(repo);
  if (!wall || (await readJson<Known>(fileOf(wall, target)))) return;
  const tip = await readTip(repo, `refs/heads/${target}`);
  if (tip) await note(wall, target, { tips: [tip] });
}

async function note(wall: Wall, target: string, known: Pick<Known, 'tips' | 'ours'>): Promise<void> {
  const [tip = ''] = known.tips;
  const logged = await isLogged(wall, target, tip);
  await writeJson(fileOf(wall, target), { ...known, logged } satisfies Known);
}

/** By ref: the tips that landings of ralphctl set, and the last known tip. */
export async function targetTips({ dir }: Wall): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = (await readdir(dir).catch(() => [])).filter((name) => /^target-.+\.json$/.test(name));
  const all = await Promise.all(
    files.map(async (name): Promise<[string, Set<string>]> => {
      const known = await readJson<Known>(join(dir, name));
      const target = decodeURIComponent(name.slice('target-'.length, -'.json'.length));
      return [`refs/heads/${target}`, new Set([...(known?.ours ?? []), ...(known?.tips ?? [])])];
    }),
  );
  return new Map(all);
}

/** Call before ralphctl moves the target to `to`. Does nothing without a known run. */
export async function expectTip(dir: string, target: string, from: string, to: string): Promise<void> {
  const wall = wallAt(dir);
  if (!wall) return;
  const ours = (await readJson<Known>(fileOf(wall, target)))?.ours ?? [];
  await note(wall, target, { tips: [from, to], ours: [...ours, to].slice(-MOST_OURS) });
}

/**
 * Call before a landing builds on `tip`. Throws {@link RepositoryError} when neither ralphctl nor a person seems to
 * have moved the target.
 */
export async function admitTip(dir: string, target: string, tip: string, idea: string): Promise<void> {
  const wall = wallAt(dir);
  if (!wall) return;
  const file = fileOf(wall, target);
  const known = await readJson<Known>(file);
  if (known?.tips.includes(tip)) return;
  const asked = known?.asked?.tip === tip ? known.asked.ideas : [];
  const how = known && !asked.includes(idea) ? await strangeMove(wall, target, known, tip) : undefined;
  if (!known || how === undefined) return note(wall, target, { tips: [tip], ours: known?.ours });
  await writeJson(file, { ...known, asked: { tip, ideas: [...asked, idea] } } satisfies Known);
  const from = known.tips.at(-1) ?? '';
  throw new RepositoryError(
    `${target} moved from ${from.slice(0, 10)} to ${tip.slice(0, 10)} without a landing: ${how}.`,
    `If that was not you, undo it: git update-ref refs/heads/${target} ${from} ${tip}. Then, or if it was you: ralphctl retry ${idea}`,
  );
}
