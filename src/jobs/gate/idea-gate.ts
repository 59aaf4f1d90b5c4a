/**
 * The gate of an idea: on what will land where that is foreseen (`ahead.ts`), else in the idea's own worktree. A red gate
 * is a result, not an error.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { iterationDir } from '../../config/paths.js';
import type { CommandOutcome } from '../../gate/attribute.js';
import { changedSinceNoted, KEPT_FILE } from '../../gate/kept/folders.js';
import { findTripwires } from '../../gate/tripwires/tripwires.js';
import type { Wall } from '../../git/confinement/wall.js';
import { GitError } from '../../git/runner.js';
import { lostWork } from '../../git/saves/lost-work.js';
import { FAILURE } from '../../protocol/failures.js';
import type { GateInput, GateResult, Tripwire } from '../../protocol/gate.js';
import type { Idea } from '../../protocol/idea.js';
import type { LoadedRun } from '../../run-files/run.js';
import { SEATS } from '../command-environment.js';
import { ideaGate, wallOf } from '../confine/walls.js';
import { type WorkContext, type WorkDeps, WorkError } from '../job.js';
import { loadOne } from '../load.js';
import { keepPlace } from '../plan-place.js';
import { endTurn, gateAhead, type Turn, takeTurn } from './ahead.js';
import { gateIn } from './gate.js';
import { judgeGreen } from './judge.js';
import { nextRun } from './next-run.js';
import { gatePlace } from './places.js';

export async function runIdeaGate(deps: WorkDeps, input: GateInput, { signal }: WorkContext): Promise<GateResult> {
  const [run, idea] = await loadOne(deps, input);
  const wall = await wallOf(deps, run);
  // Before its turn: who waits for others in the order of landings must not keep them from their gates.
  const giveBack = await gatePlace(input.project, run.file.config.gate.parallel, signal);
  try {
    return await inPlace(deps, run, idea, input, { signal, wall });
  } catch (error) {
    // Its branch may be gone, too: then a retry would begin with nothing.
    const known = error instanceof GitError || (error instanceof WorkError && error.type === FAILURE.repository);
    const lost = known ? await lostWork(run.file.repo, input.idea).catch(() => undefined) : undefined;
    throw lost ? new WorkError(lost.message, FAILURE.repository) : error;
  } finally {
    giveBack();
  }
}

async function inPlace(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: GateInput,
  { signal, wall }: { signal: AbortSignal; wall: Wall },
): Promise<GateResult> {
  const turn = await takeTurn(deps, run, idea, input).catch(() => undefined);
  let gate: GateResult | undefined;
  try {
    gate = await ideaGate(wall, input.idea, () => gateOf(deps, run, idea, input, { signal, turn }));
    return gate;
  } finally {
    if (turn) await endTurn(turn, input.idea, gate);
  }
}

async function gateOf(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: GateInput,
  { signal, turn }: { signal: AbortSignal; turn: Turn | undefined },
): Promise<GateResult> {
  const folder = await folderAt(input.worktree);
  if (folder === undefined) throw gone(input);
  const dir = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial);
  const previous = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial - 1);
  const where = { dir: input.worktree, logDir: join(dir, 'gate'), previousLogDir: join(previous, 'gate') };
  // It reads commits only, so it can run in parallel with the commands.
  const trips = tripped(run, input);
  trips.catch(() => undefined);
  const place = { ...input, ...where, agentName: input.agentName ?? SEATS.landing, signal };
  const late = await changedSinceNoted(input.worktree, join(dir, KEPT_FILE)).catch(() => undefined);
  const { base } = input;
  const green = async (
    gate: GateResult,
    outcomes: ReadonlyArray<CommandOutcome | undefined>,
    at: { worktree: string; base: string } | undefined,
  ): Promise<GateResult> => {
    const tripwires = await trips;
    if (at && !input.unclaimed && run.file.config.gate.commands.length > 0)
      return judgeGreen(deps, run, { ...place, ...at }, gate, outcomes, tripwires);
    return tripwires.length > 0 ? { ...gate, tripwires } : gate;
  };
  const own = async (): Promise<GateResult> => {
    const outcomes: CommandOutcome[] = [];
    const gate = await gateIn(deps, run, place, (n, outcome) => {
      outcomes[n] = outcome;
    });
    // Somebody removed it while the commands ran: they may have been green, or red, because nothing was there.
    if ((await folderAt(input.worktree)) !== folder) throw gone(input);
    const at = base === undefined ? undefined : { worktree: input.worktree, base };
    return gate.pass ? green(gate, outcomes, at) : gate;
  };
  const ahead = turn && base !== undefined ? await gateAhead(deps, run, turn, { ...place, base, green }) : undefined;
  const ran = ahead ?? (await own());
  const judged = late && late.length > 0 ? { ...ran, late } : ran;
  if (judged.pass && input.claimed) {
    await keepPlace(deps, input, idea, { ...input.claimed, step: input.claimed.step + 1 });
  }
  return judged;
}

/** What tells this folder from another one at its place; undefined where there is none. */
async function folderAt(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? [found.dev, found.ino, found.birthtimeMs].join(' ') : undefined;
}

const gone = ({ worktree, idea }: GateInput): WorkError =>
  new WorkError(`the worktree ${worktree} is gone. Restart the idea with: ralphctl retry ${idea}`, FAILURE.repository);

/** Changes since the base that a person should check, without the kinds that the configuration disables. */
async function tripped(run: LoadedRun, { worktree, base }: GateInput): Promise<Tripwire[]> {
  const { tripwires, commands } = run.file.config.gate;
  // Runs that version 0.1 started have no tripwires.
  if (base === undefined || !tripwires) return [];
  return findTripwires({
    ...{ worktree, base, rules: tripwires, commands: commands.map((command) => command.run) },
    nextRun: await nextRun(run.file),
  });
}
