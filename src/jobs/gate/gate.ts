/** Runs the gate's commands in a worktree. A red gate is a result, not an error. */
import { randomUUID } from 'node:crypto';
import { gateLocksDir, keptDir } from '../../config/paths.js';
import type { CommandOutcome } from '../../gate/attribute.js';
import { stillAsStamped } from '../../gate/kept/folders.js';
import { gateCommands, logLimit, runGate } from '../../gate/run.js';
import { git } from '../../git/runner.js';
import { privateGitDir } from '../../git/worktrees/list.js';
import { FAILURE } from '../../protocol/failures.js';
import type { GateResult } from '../../protocol/gate.js';
import { EventWriter } from '../../run-files/events.js';
import type { LoadedRun } from '../../run-files/run.js';
import { tellActivity } from '../activity.js';
import { commandEnvironment, SEATS } from '../command-environment.js';
import { type WorkDeps, WorkError } from '../job.js';
import { setUp } from '../prepare.js';
import { keepOutcomes } from './baseline.js';
import { type JudgeInput, judgeWith } from './judge.js';

/** `stands`: asked before a failure is compared with the base; false: nobody needs to know whose it is. */
export function gateIn(
  deps: WorkDeps,
  run: LoadedRun,
  where: JudgeInput & { agentName: string; dir: string; stands?: () => Promise<boolean> },
  onOutcome?: (index: number, outcome: CommandOutcome) => void,
): Promise<GateResult> {
  const commands = gateCommands(run.file.config);
  const merged = where.agentName === SEATS.landing;
  const events = new EventWriter(deps.root, () => {});
  const judge = judgeWith(deps, run, where);
  return runGate({
    commands,
    worktree: where.dir,
    logDir: where.logDir,
    ...commandEnvironment(deps, run, 'gate', where),
    lockRoot: gateLocksDir(deps.root),
    maxLogBytes: logLimit(run.file.config),
    token: `${where.project}/${where.idea}/gate/${randomUUID()}`,
    signal: where.signal,
    judge: async (failed) => ((await where.stands?.()) === false ? { kind: 'red' } : judge(failed)),
    onBegin: (index, { name }) =>
      events.write(
        { project: run.file.project, runId: run.file.runId },
        {
          ...{ kind: 'gate-start', idea: where.idea, command: name, number: index + 1, of: commands.length },
          merged: merged || undefined,
        },
        Date.now(),
      ),
    onAgain: (index, { name }) =>
      tellActivity(deps, run, where.idea)('again', { command: name, number: index + 1, of: commands.length }),
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
export async function keepKept(
  deps: WorkDeps,
  run: LoadedRun,
  where: JudgeInput & { agentName: string; dir: string },
): Promise<void> {
  const gitDir = await privateGitDir(where.dir);
  if (!gitDir) return;
  const proofs = keptDir(deps.root, run.file.project);
  const place = { worktree: where.dir, gitDir, cache: run.file.config.worktrees.cache ?? [], proofs };
  if (await stillAsStamped(place)) return;
  const tell = tellActivity(deps, run, where.idea);
  await setUp(deps, run, { ...where, shared: true, onBegin: (command) => tell('set-up', { command }) });
  if (await stillAsStamped(place)) return;
  const message = `files of the set-up in ${where.dir} change before the gate can run: a process writes there. Find it with: lsof +D '${where.dir}', end it, then retry`;
  throw new WorkError(message, FAILURE.repository);
}
