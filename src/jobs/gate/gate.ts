/** Runs the gate's commands in an idea's worktree. A red gate is a result, not an error. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { iterationDir, keptDir } from '../../config/paths.js';
import type { CommandOutcome } from '../../gate/attribute.js';
import { changedSinceNoted, KEPT_FILE, stillAsStamped } from '../../gate/kept/folders.js';
import { gateCommands, runGate } from '../../gate/run.js';
import { findTripwires } from '../../gate/tripwires/tripwires.js';
import { git } from '../../git/runner.js';
import { privateGitDir } from '../../git/worktrees/list.js';
import { FAILURE } from '../../protocol/failures.js';
import type { GateInput, GateResult, Tripwire } from '../../protocol/gate.js';
import type { Idea } from '../../protocol/idea.js';
import { EventWriter } from '../../run-files/events.js';
import type { LoadedRun } from '../../run-files/run.js';
import { commandEnvironment, SEATS } from '../command-environment.js';
import { ideaGate, wallOf } from '../confine/walls.js';
import { type WorkContext, type WorkDeps, WorkError } from '../job.js';
import { loadOne } from '../load.js';
import { keepPlace } from '../plan-place.js';
import { setUp } from '../prepare.js';
import { keepOutcomes } from './baseline.js';
import { type JudgeInput, judgeGreen, judgeWith } from './judge.js';

export async function runIdeaGate(deps: WorkDeps, input: GateInput, { signal }: WorkContext): Promise<GateResult> {
  const [run, idea] = await loadOne(deps, input);
  return ideaGate(await wallOf(deps, run), input.idea, () => gateOf(deps, run, idea, input, signal));
}

async function gateOf(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: GateInput,
  signal: AbortSignal,
): Promise<GateResult> {
  const there = await stat(input.worktree).catch(() => undefined);
  if (!there?.isDirectory()) {
    const message = `the worktree ${input.worktree} is gone. Restart the idea with: ralphctl retry ${input.idea}`;
    throw new WorkError(message, FAILURE.repository);
  }
  const dir = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial);
  const previous = iterationDir(deps.root, input.project, input.runId, input.idea, input.serial - 1);
  const where = { dir: input.worktree, logDir: join(dir, 'gate'), previousLogDir: join(previous, 'gate') };
  // It reads commits only, so it can run in parallel with the commands.
  const trips = tripped(run, input);
  trips.catch(() => undefined);
  const outcomes: CommandOutcome[] = [];
  const place = { ...input, ...where, agentName: input.agentName ?? SEATS.landing, signal };
  const late = await changedSinceNoted(input.worktree, join(dir, KEPT_FILE)).catch(() => undefined);
  const ran = await gateIn(deps, run, place, (n, outcome) => {
    outcomes[n] = outcome;
  });
  const gate = late && late.length > 0 ? { ...ran, late } : ran;
  const { base } = input;
  const whenGreen = async (tripwires: Tripwire[]): Promise<GateResult> => {
    if (base !== undefined && !input.unclaimed && run.file.config.gate.commands.length > 0)
      return judgeGreen(deps, run, { ...place, base }, gate, outcomes, tripwires);
    return tripwires.length > 0 ? { ...gate, tripwires } : gate;
  };
  const judged = gate.pass ? await whenGreen(await trips) : gate;
  if (judged.pass && input.claimed) {
    await keepPlace(deps, input, idea, { ...input.claimed, step: input.claimed.step + 1 });
  }
  return judged;
}

/** Changes since the base that a person should check, without the kinds that the configuration disables. */
async function tripped(run: LoadedRun, { worktree, base }: GateInput): Promise<Tripwire[]> {
  const { tripwires, commands } = run.file.config.gate;
  // Runs that version 0.1 started have no tripwires.
  if (base === undefined || commands.length === 0 || !tripwires) return [];
  return findTripwires({ worktree, base, rules: tripwires, commands: commands.map((command) => command.run) });
}

export function gateIn(
  deps: WorkDeps,
  run: LoadedRun,
  where: JudgeInput & { agentName: string; dir: string },
  onOutcome?: (index: number, outcome: CommandOutcome) => void,
): Promise<GateResult> {
  const commands = gateCommands(run.file.config);
  const merged = where.agentName === SEATS.landing;
  const events = new EventWriter(deps.root, () => {});
  return runGate({
    commands,
    worktree: where.dir,
    logDir: where.logDir,
    ...commandEnvironment(deps, run, 'gate', where),
    token: `${where.project}/${where.idea}/gate/${randomUUID()}`,
    signal: where.signal,
    judge: judgeWith(deps, run, where),
    onBegin: (index, { name }) =>
      events.write(
        { project: run.file.project, runId: run.file.runId },
        {
          ...{ kind: 'gate-start', idea: where.idea, command: name, number: index + 1, of: commands.length },
          merged: merged || undefined,
        },
        Date.now(),
      ),
    onOutcome,
  });
}

/** Gates the candidate for the target. Its outcomes also serve ideas that start from that commit. */
export async function gateLanding(
  deps: WorkDeps,
  run: LoadedRun,
  where: JudgeInput & { agentName: string; dir: string },
): Promise<GateResult> {
  const tree = await git(where.dir).run(['rev-parse', 'HEAD^{tree}'], { read: true });
  await keepKept(deps, run, where);
  const outcomes: CommandOutcome[] = [];
  const gate = await gateIn(deps, run, where, (n, outcome) => {
    outcomes[n] = outcome;
  });
  if (gate.pass) await keepOutcomes(deps, run, { project: where.project, tree }, outcomes);
  return gate;
}

/** A gate may have changed files that set-up left in the landing worktree; set-up then runs again, once. */
async function keepKept(
  deps: WorkDeps,
  run: LoadedRun,
  where: JudgeInput & { agentName: string; dir: string },
): Promise<void> {
  const gitDir = await privateGitDir(where.dir);
  if (!gitDir) return;
  const proofs = keptDir(deps.root, run.file.project);
  const place = { worktree: where.dir, gitDir, cache: run.file.config.worktrees.cache ?? [], proofs };
  if (await stillAsStamped(place)) return;
  await setUp(deps, run, { ...where, shared: true });
  if (await stillAsStamped(place)) return;
  const message = `files of the set-up in ${where.dir} change before the gate can run: a process writes there. Find it with: lsof +D '${where.dir}', end it, then retry`;
  throw new WorkError(message, FAILURE.repository);
}
