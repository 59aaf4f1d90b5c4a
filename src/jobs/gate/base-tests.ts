/**
 * Runs the gate with the base's tests and gate files over the code of an idea, to check that tested behaviour still
 * works.
 * Invariant: runs only when the work changes those files, in a separate worktree, and commits nothing. A test counts as
 * broken only when it passes on the base and fails here.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { gateLocksDir, integrationDir } from '../../config/paths.js';
import { attribute, type CommandOutcome } from '../../gate/attribute.js';
import { lostTests } from '../../gate/outcomes/outcomes.js';
import { findOverlay, layOver, type Overlay } from '../../gate/overlay.js';
import { gateCommands, logLimit, runCommand } from '../../gate/run.js';
import { integrationWorktree, resetIntegration } from '../../git/landing/integration.js';
import { exclusive } from '../../git/locks.js';
import { sharedGitDir } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import type { LoadedRun } from '../../run-files/run.js';
import { tellActivity } from '../activity.js';
import { commandEnvironment, SEATS } from '../command-environment.js';
import type { WorkDeps } from '../job.js';
import { setUp } from '../prepare.js';

export interface BaseTestsInput {
  project: string;
  idea: string;
  /** The idea's own outcomes, on the tree to land. */
  worktree: string;
  base: string;
  /** Folder for the logs. */
  logDir: string;
  signal: AbortSignal;
}

/** A command that passes on the base with the base's tests, and fails here. */
export interface Broken {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  /** Names of failing tests, where the runner prints them. */
  tests: string[];
  tail: string;
  log: string;
}

/** `before`: the outcomes of the commands on the base. Throws the errors of git and set-up. */
export async function baseTests(
  deps: WorkDeps,
  run: LoadedRun,
  input: BaseTestsInput,
  before: readonly CommandOutcome[],
): Promise<Broken | undefined> {
  const commands = run.file.config.gate.commands.map((command) => command.run);
  const overlay = await findOverlay({ ...input, commands });
  if (!overlay) return undefined;
  const commonDir = await sharedGitDir(run.file.repo);
  tellActivity(deps, run, input.idea)('base-tests');
  return exclusive(`base-tests:${commonDir}`, async () => {
    input.signal.throwIfAborted();
    return firstBroken(deps, run, { ...input, dir: await laidOut(deps, run, input, commonDir, overlay) }, before);
  });
}

/** Creates a worktree with the idea's code and the base's tests, and runs its set-up. */
async function laidOut(
  deps: WorkDeps,
  run: LoadedRun,
  input: BaseTestsInput,
  commonDir: string,
  overlay: Overlay,
): Promise<string> {
  const { repo, config } = run.file;
  const head = await git(input.worktree).run(['rev-parse', 'HEAD'], { read: true });
  const integrationRoot = integrationDir(deps.root, input.project);
  const dir = await integrationWorktree({ repo, commonDir, integrationRoot, target: 'base tests of', commit: head });
  const tell = tellActivity(deps, run, input.idea);
  const onBegin = (command: string): void => tell('base-tests-set-up', { command });
  // Set-up runs on the base first. Ideas with the same lock files share that one, never one that ran an idea's code.
  for (const commit of [input.base, head]) {
    await resetIntegration(dir, commit, config.worktrees.keep);
    await setUp(deps, run, { ...input, agentName: SEATS.baseTests, dir, shared: true, onBegin });
  }
  await layOver(dir, input.base, overlay);
  return dir;
}

async function firstBroken(
  deps: WorkDeps,
  run: LoadedRun,
  input: BaseTestsInput & { dir: string },
  before: readonly CommandOutcome[],
): Promise<Broken | undefined> {
  const { config } = run.file;
  const environment = commandEnvironment(deps, run, 'gate', { ...input, agentName: SEATS.baseTests });
  const token = `${input.project}/${input.idea}/base-tests/${randomUUID()}`;
  const { dir: worktree, logDir, signal } = input;
  const at = { worktree, logDir, lockRoot: gateLocksDir(deps.root), maxLogBytes: logLimit(config) };
  const options = { ...at, ...environment, token, signal };
  const judged = judgedCommands(before);
  for (const [n, command] of gateCommands(config).entries()) {
    const base = before[n];
    // Commands after the last judged one are unnecessary; earlier ones may build its input.
    if (!base || n > Math.max(...judged)) break;
    const tell = tellActivity(deps, run, input.idea);
    tell('base-tests', { command: command.name, number: n + 1, of: Math.max(...judged) + 1 });
    const ran = await runCommand(options, command, `gate-${n + 1}`);
    if (!judged.includes(n) || !isBroken(base, ran.outcome)) continue;
    const again = config.gate.rerun && !ran.failure?.timedOut;
    if (again && !isBroken(base, (await runCommand(options, command, `gate-${n + 1}-again`)).outcome)) continue;
    return {
      command: command.name,
      exitCode: ran.outcome.exitCode,
      timedOut: ran.failure?.timedOut ?? false,
      tests: broken(base, ran.outcome),
      tail: ran.failure?.tail ?? '',
      log: join(logDir, `gate-${n + 1}.log`),
    };
  }
  return undefined;
}

/** Commands that report tests; all commands where none does. A linter says nothing about replaced tests. */
function judgedCommands(before: readonly CommandOutcome[]): number[] {
  const all = [...before.keys()];
  const testing = all.filter((n) => (before[n]?.tested?.counts.total ?? 0) > 0);
  return testing.length > 0 ? testing : all;
}

function isBroken(base: CommandOutcome, now: CommandOutcome): boolean {
  if (now.exitCode !== 0) return attribute(now, base).kind === 'new';
  const lost = base.tested && lostTests(base.tested, now.tested);
  return lost !== undefined && (lost.nothing || lost.gone.length > 0 || lost.fewer !== undefined);
}

function broken(base: CommandOutcome, now: CommandOutcome): string[] {
  const attribution = attribute(now, base);
  if (now.exitCode !== 0) return attribution.kind === 'new' ? attribution.added : [];
  return base.tested ? lostTests(base.tested, now.tested).gone : [];
}
