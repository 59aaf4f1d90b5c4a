/**
 * Provides the wall of a run, and the messages to people about restored changes.
 * Invariant: agent code always runs in a section, and its caller then checks which changes it caused.
 */
import { integrationDir, wallDir, worktreesDir } from '../../config/paths.js';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import { watchTarget } from '../../git/confinement/target-watch.js';
import { breachesBy, enterSection, leaveSection, raiseWall, type Wall } from '../../git/confinement/wall.js';
import type { Breach, Section } from '../../git/confinement/wall-sections.js';
import { RepositoryError } from '../../git/errors.js';
import { sharedGitDir } from '../../git/repository.js';
import { canonical } from '../../git/worktrees/list.js';
import type { Redact } from '../../process/redact.js';
import { findByToken } from '../../process/tokens.js';
import type { GateResult, Tripwire } from '../../protocol/gate.js';
import type { LoadedRun } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { withLostObjects } from './lost-objects.js';
import { whoWrote } from './who-wrote.js';

const known = new WeakMap<LoadedRun, Promise<Wall>>();

/** The wall of the run. The call builds it. */
export function wallOf({ root }: WorkDeps, run: LoadedRun): Promise<Wall> {
  const wall = known.get(run) ?? raise(root, run);
  known.set(run, wall);
  wall.catch(() => known.delete(run));
  return wall;
}

async function raise(root: string, { file }: LoadedRun): Promise<Wall> {
  const { repo, project, config } = file;
  const folders = [config.worktrees.root ?? worktreesDir(root, project), integrationDir(root, project)];
  const linked = [...new Set([...folders, ...(await Promise.all(folders.map(canonical)))])];
  const isLeft = async ({ name }: Section): Promise<boolean> =>
    (await findByToken(`${project}/${ideaOf(name)}`)).length > 0;
  const place = { commonDir: await sharedGitDir(repo), root: repo, linked, dir: wallDir(root, project), isLeft };
  const wall = await raiseWall(place, file.createdAt);
  await watchTarget(repo, file.target);
  return wall;
}

/** Runs agent code. Returns its result and the changes to the repository that it may have made. */
export async function inSection<T>(
  wall: Wall,
  given: Pick<Section, 'name' | 'outputFile'>,
  work: () => Promise<T>,
): Promise<{ result: T; breaches: Held[] }> {
  const section = await enterSection(wall, given);
  try {
    const result = await work();
    return { result, breaches: await heldAgainst(wall, section.name, section.at) };
  } finally {
    await leaveSection(wall, section);
  }
}

export interface Held extends Breach {
  /** Several were at work, and nothing tells which of them it was. */
  unknown?: true;
}

/** Restored changes attributed to `name`, without those that are known to be another section's. */
export async function heldAgainst(wall: Wall, name: string, since: number, worktree?: string): Promise<Held[]> {
  const held: Held[] = [];
  for (const breach of await breachesBy(wall, name, since, worktree)) {
    const writers = await whoWrote(wall, breach);
    const index = breach.changes.some((change) => change.index);
    // It cost nobody's work, and is told all the same: nobody stops for what another may have done.
    if (writers.length === 0 && index) continue;
    if (writers.length > 0 && !writers.includes(name)) continue;
    const told = await withLostObjects(wall, breach, worktree);
    held.push(writers.length === 0 ? { ...told, unknown: true } : told);
  }
  return held;
}

/** The section name of an idea's agent. */
export const agentSection = (idea: string): string => `agent-${idea}`;
const gateSection = (idea: string): string => `gate-${idea}`;
const landingSection = (idea: string): string => `landing-${idea}`;
const setUpSection = (idea: string): string => `set-up-${idea}`;

/** For people. */
function phraseOf({ name }: Section): string {
  const [, kind = '', idea = ''] = /^(agent|gate|landing|set-up)-(.*)$/s.exec(name) ?? [];
  if (kind === '') return name;
  return kind === 'landing' ? `the gate of the landing of ${idea}` : `the ${kind} of ${idea}`;
}

/** The idea that a section is about. */
const ideaOf = (section: string): string => section.replace(/^(?:agent|gate|landing|set-up)-/, '');

/** Warns about changes that ralphctl restored to protect its git, where no idea could ask a person. */
export function noticeOf({
  wall,
  idea,
  worktree,
}: {
  wall?: Wall;
  idea: string;
  worktree: string;
}): (redact?: Redact) => Promise<string | undefined> {
  const since = Date.now();
  return async (redact = (text) => text) => {
    const held = wall ? await heldAgainst(wall, agentSection(idea), since, worktree) : [];
    const done = outOfBoundsOf(held).map(({ what }) => what);
    return done.length > 0
      ? redact(`while ${idea} ran, an agent, another program or a person ${done.join('; ')}`).slice(0, 600)
      : undefined;
  };
}

/** Runs a set-up without a question afterwards: any change by its code is an error. `fix` is for a person. */
export async function setUpOrThrow<T>(
  wall: Wall,
  { idea, fix }: { idea: string; fix: string },
  work: () => Promise<T>,
): Promise<T> {
  const { result, breaches } = await inSection(wall, { name: setUpSection(idea) }, work);
  const [first] = outOfBoundsOf(breaches);
  if (!first) return result;
  throw new RepositoryError(
    `While the set-up of ${idea} ran, one of its commands, another program or a person ${first.what}.`,
    fix,
  );
}

const MOST_TRIPWIRES = 20;

/** Runs the gate of an idea. A person checks its changes to the repository before the landing. */
export async function ideaGate(wall: Wall, idea: string, gate: () => Promise<GateResult>): Promise<GateResult> {
  const { result, breaches } = await inSection(wall, { name: gateSection(idea) }, gate);
  if (!result.pass || breaches.length === 0) return result;
  const outside = outOfBoundsOf(breaches).map(({ what }): Tripwire => ({ kind: 'outside', subject: what }));
  return { ...result, tripwires: [...outside, ...(result.tripwires ?? [])].slice(0, MOST_TRIPWIRES) };
}

/**
 * Runs the gate of a landing. A change of the repository by the gate's code stops the landing, unless the idea's own
 * gate made the same change and a person has already answered for it.
 */
export async function landingGate(wall: Wall, idea: string, gate: () => Promise<GateResult>): Promise<GateResult> {
  const { result, breaches } = await inSection(wall, { name: landingSection(idea) }, gate);
  const found = outOfBoundsOf(breaches).map(({ what }) => what);
  const asked = outOfBoundsOf(await heldAgainst(wall, gateSection(idea), 0)).map(({ what }) => what);
  const [fresh] = found.filter((what) => !asked.includes(what));
  if (fresh === undefined) return result;
  // The question that the landing asks adds how to retry.
  throw new RepositoryError(
    `While the gate of the landing of ${idea} ran, one of its commands, another program or a person ${fresh}.`,
    'Look at the work of the idea and at the gate commands',
  );
}

export const PUT_BACK = 'ralphctl restored it';

/** For a person: the restored change, its copy, and the command that shows it. */
export const outOfBoundsOf = (breaches: readonly Held[]): OutOfBoundsChange[] =>
  breaches.flatMap(({ changes, unknown, suspects }) =>
    changes.map(({ what, file, kept, pipe, index, lost, fix }) => ({
      what: index
        ? what
        : pipe
          ? `${what}; ralphctl removed it, as git waits there for ever${lost ? `; ${lost}` : ''}`
          : `${what}; ${PUT_BACK}, as it can run programs or change what git shows`,
      look: kept ? `diff '${kept}' '${file}'` : undefined,
      ...(fix ? { undo: fix } : {}),
      ...(unknown ? { among: suspects.map(phraseOf) } : {}),
    })),
  );
