/**
 * Detects changes by an agent to the worktrees of other ideas. A change in its trace or output counts as its own. For a
 * broken worktree without such evidence, there is a warning, unless the other idea's own agent ran meanwhile: that run
 * reports it.
 * Invariant: actions of ralphctl (recycling, cleanup, landing) and of the other idea's own agent never count. Reads
 * files; waits only where something is broken.
 */
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import type { TracedCommand } from '../../git/confinement/trace.js';
import { orNone } from '../../git/regular.js';
import { exists, type Link, readLinks } from '../../git/worktrees/list.js';
import { literal } from '../../protocol/pattern.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { lineOf, writesIn } from './acts.js';
import { CHANGES, textsWith } from './mentions.js';

export interface OtherWorktrees {
  commonDir: string;
  /** The agent's own worktree, resolved. */
  worktree: string;
  outputFile: string;
  /** Links before the run, and now. */
  before: Readonly<Record<string, Link>>;
  now: Readonly<Record<string, Link>>;
  /** Start of the run, epoch ms. */
  since: number;
  commands: readonly TracedCommand[];
  /** Whether the other idea's own agent ran since then: its own run reports what broke meanwhile. */
  ownAgentRan: (idea: string) => boolean;
}

/** While ralphctl removes or moves a worktree, it is missing for an instant. */
const SETTLE_MS = 1500;
const ideaOf = ({ branch }: Link): string | undefined =>
  branch?.startsWith('ralph/') ? branch.slice('ralph/'.length) : undefined;
const ownerOf = (link: Link): string => `the worktree ${ideaOf(link) ? `of ${ideaOf(link)}` : basename(link.path)}`;

export interface Found {
  outOfBounds: OutOfBoundsChange[];
  /** Broken worktrees without a known cause. */
  broken: string[];
}

export async function lookAtOtherWorktrees(place: OtherWorktrees): Promise<Found> {
  const others = Object.entries(place.before).filter(([, link]) => link.path !== place.worktree);
  const texts = await textsWith(
    place.outputFile,
    others.map(([, link]) => basename(link.path)),
  );
  const outOfBounds: OutOfBoundsChange[] = [];
  const broken: string[] = [];
  const damaged = new Set(await stillBroken(place, others));
  for (const [name, link] of others) {
    const said = texts.get(basename(link.path)) ?? [];
    const [ran] = writesIn(place.commands, link);
    const took = removedBy(place.commands, link) || (damaged.has(name) && said.some((text) => CHANGES.test(text)));
    const gone = damaged.has(name) || (link.sound && !(await exists(link.path)));
    if (gone && took) outOfBounds.push(removal(link));
    else if (damaged.has(name)) {
      const idea = ideaOf(link);
      if (idea === undefined || !place.ownAgentRan(idea)) broken.push(`${ownerOf(link)} (${link.path})`);
    } else if (ran) outOfBounds.push(gitIn(link, ran));
    else outOfBounds.push(...(await edited(link, said, place.since)));
  }
  for (const link of begunMeanwhile(place)) {
    const [ran] = writesIn(place.commands, link);
    if (ran) outOfBounds.push(gitIn(link, ran));
  }
  return { outOfBounds, broken };
}

/** Worktrees of ideas that began during the run. */
function begunMeanwhile({ before, now, worktree }: OtherWorktrees): Link[] {
  const known = new Set([worktree, ...Object.values(before).map(({ path }) => path)]);
  return Object.values(now).filter((link) => ideaOf(link) !== undefined && !known.has(link.path));
}

const gitIn = (link: Link, command: TracedCommand): OutOfBoundsChange => ({
  what: `ran git in ${ownerOf(link)}: ${lineOf(command)}`,
  look: `git -C ${shellQuoted(link.path)} reflog`,
});

const removal = (link: Link): OutOfBoundsChange => ({
  what: `deleted or broke ${ownerOf(link)}; its branch is kept and ralphctl recreates it from there, but uncommitted work is lost`,
  look: `ls -la ${shellQuoted(link.path)}`,
});

/** Names of worktrees that were intact and stay broken across a short wait. */
async function stillBroken(place: OtherWorktrees, others: readonly [string, Link][]): Promise<string[]> {
  const first = await brokenAmong(place.commonDir, others);
  if (first.length === 0) return [];
  await delay(SETTLE_MS);
  return (await brokenAmong(place.commonDir, first)).map(([name]) => name);
}

async function brokenAmong(commonDir: string, others: readonly [string, Link][]): Promise<[string, Link][]> {
  const now = await readLinks(commonDir);
  const whole = new Set(Object.values(now).flatMap((link) => (link.sound ? [link.path] : [])));
  const found: [string, Link][] = [];
  for (const [name, link] of others) {
    if (!link.sound || whole.has(link.path) || now[name]?.sound) continue;
    // A completely missing worktree is no damage, because landings and cleanups remove worktrees.
    if (now[name] || (await exists(link.path))) found.push([name, link]);
  }
  return found;
}

function removedBy(commands: readonly TracedCommand[], link: Link): boolean {
  const name = basename(link.path);
  return commands.some(
    ({ ok, name: command, argv }) =>
      ok &&
      command === 'worktree' &&
      argv.some((arg) => arg === 'remove' || arg === 'move') &&
      argv.some((arg) => basename(arg) === name),
  );
}

/** Files that changed during the run and that the agent named in a change. */
async function edited(link: Link, texts: readonly string[], since: number): Promise<OutOfBoundsChange[]> {
  const name = basename(link.path);
  const files = new Set<string>();
  for (const text of texts) {
    for (const [, path = ''] of text.matchAll(
      new RegExp(`${literal(name)}/([^\\s"'\`\\\\,;:()<>|&*?[\\]{}$]+)`, 'g'),
    )) {
      const alone = text.trim().endsWith(`${name}/${path}`) && !/\s/.test(text.trim());
      if (!alone && !CHANGES.test(text)) continue;
      const at = join(link.path, path);
      const info = (await stat(at).catch(orNone)) ?? (await stat(dirname(at)).catch(orNone));
      // File system clocks have a coarse resolution.
      if (info && info.ctimeMs >= since - 20) files.add(path);
    }
  }
  if (files.size === 0) return [];
  const some = [...files].slice(0, 10);
  const more = files.size > some.length ? ` and ${files.size - some.length} more` : '';
  return [
    {
      what: `changed ${some.join(', ')}${more} in ${ownerOf(link)}`,
      look: `git -C ${shellQuoted(link.path)} status -- ${some.map(shellQuoted).join(' ')}`,
    },
  ];
}
