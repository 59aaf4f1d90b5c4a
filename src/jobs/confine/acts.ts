/**
 * What an agent did in the worktree of another idea. Both ideas are told: it may be part of the other one's branch, and
 * nothing in the reflog there tells it from that idea's own work. An agent that has ended left a note; of one that still
 * runs, the trace is read.
 * Invariant: an idea is told of an act once, and never of one from before its branch began.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import { type OutsidePlace, readMoves } from '../../git/confinement/outside.js';
import { readTrace, TRACE_FILE, type TracedCommand } from '../../git/confinement/trace.js';
import type { Wall } from '../../git/confinement/wall.js';
import { activeSections, readJson, writeJson } from '../../git/confinement/wall-sections.js';
import { byGitDir } from '../../git/confinement/whose.js';
import { namesIn } from '../../git/regular.js';
import { canonical, exists, type Link, readLinks } from '../../git/worktrees/list.js';
import { many } from '../../protocol/many.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { agentSection } from './walls.js';

interface Act {
  /** Idea whose agent did it. */
  by: string;
  command: string;
  /** Start of the command, epoch ms. */
  at: number;
}

/** Commands that change files, index or branch of the worktree in which they run. */
const WRITES = new Set(
  'add am apply bisect checkout cherry-pick clean commit merge mv pull read-tree rebase reset restore revert rm stash switch update-index'.split(
    ' ',
  ),
);

/** The commands that changed something in that worktree. */
export const writesIn = (commands: readonly TracedCommand[], { path }: Link): TracedCommand[] =>
  commands.filter((one) => one.ok && one.worktree === path && WRITES.has(one.name) && !readsStash(one));
const readsStash = ({ name, argv }: TracedCommand): boolean =>
  name === 'stash' && argv.some((arg) => arg === 'list' || arg === 'show');

export const lineOf = ({ argv }: TracedCommand): string => argv.join(' ').slice(0, 120);

const actsIn = (commands: readonly TracedCommand[], link: Link, by: string): Act[] =>
  writesIn(commands, link).map((one) => ({ by, command: lineOf(one), at: one.from }));

const folderOf = (wall: Wall, branch: string): string => join(wall.dir, 'acts', encodeURIComponent(branch));
const fileOf = (wall: Wall, branch: string, { at, by }: Act): string =>
  join(folderOf(wall, branch), `${at}-${encodeURIComponent(by)}`);
const NOTED = '.json';
const TOLD = '.told';

/** Leaves notes about an agent that has ended, for the ideas in whose worktrees (`links`) it ran git. */
export async function noteActs(
  wall: Wall,
  by: string,
  commands: readonly TracedCommand[],
  links: readonly Link[],
): Promise<void> {
  for (const link of links) {
    const { branch } = link;
    if (branch === undefined) continue;
    for (const act of actsIn(commands, link, by)) {
      const file = fileOf(wall, branch, act);
      if (await exists(file + TOLD)) continue;
      await mkdir(folderOf(wall, branch), { recursive: true });
      await writeJson(file + NOTED, act);
    }
  }
}

/** What other agents did in the worktree of this idea and it has not been told. Now it has. */
export async function untoldActs(
  wall: Wall,
  place: OutsidePlace,
  own: { idea: string; branch: string; worktree: string },
): Promise<OutOfBoundsChange[]> {
  const [begun] = await readMoves(place.commonDir, `refs/heads/${own.branch}`);
  const all = [...(await notedActs(wall, own.branch)), ...(await presentActs(wall, place, own))];
  const fresh: Act[] = [];
  for (const act of all) {
    const file = fileOf(wall, own.branch, act);
    if (await exists(file + TOLD)) continue;
    await mkdir(folderOf(wall, own.branch), { recursive: true });
    await writeFile(file + TOLD, '', { mode: 0o600 });
    await rm(file + NOTED, { force: true });
    // Reflogs count in seconds.
    if (act.at >= (begun?.at ?? 0) * 1000) fresh.push(act);
  }
  return [...new Set(fresh.map(({ by }) => by))].map((by) => {
    const [first, ...others] = fresh.filter((act) => act.by === by);
    const more = others.length > 0 ? `, and ${many(others.length, 'more command')}` : '';
    return {
      what: `the agent of ${by} ran git in its worktree: ${first?.command}${more}`,
      byOthers: true,
      look: `git -C ${shellQuoted(own.worktree)} reflog`,
    };
  });
}

async function notedActs(wall: Wall, branch: string): Promise<Act[]> {
  const names = await namesIn(folderOf(wall, branch));
  const notes = names.filter((name) => name.endsWith(NOTED)).sort();
  const read = await Promise.all(notes.map((name) => readJson<Act>(join(folderOf(wall, branch), name))));
  return read.filter((act) => act !== undefined);
}

/** Acts of agents that still run. */
async function presentActs(wall: Wall, place: OutsidePlace, own: { idea: string; worktree: string }): Promise<Act[]> {
  const agents = (await activeSections(wall.dir)).filter(
    ({ name, outputFile }) =>
      outputFile !== undefined && name.startsWith(agentSection('')) && name !== agentSection(own.idea),
  );
  if (agents.length === 0) return [];
  const links = await readLinks(place.commonDir);
  const worktree = await canonical(own.worktree);
  const link = Object.values(links).find(({ path }) => path === worktree);
  if (!link) return [];
  const acts = await Promise.all(
    agents.map(async ({ name, outputFile = '' }) => {
      const commands = await readTrace(join(dirname(outputFile), TRACE_FILE));
      return actsIn(await byGitDir(commands, place, links), link, name.slice(agentSection('').length));
    }),
  );
  return acts.flat();
}
