/**
 * Determines the outcomes of the gate's commands on the base of the work.
 * Invariant: runs each command at most once per tree, in a separate worktree, and only on demand. Outcomes of a landing
 * count too. A base without a result is unknown and no error.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { baselineDir, gateLocksDir, integrationDir } from '../../config/paths.js';
import type { CommandOutcome } from '../../gate/attribute.js';
import { type GateCommand, gateCommands, logLimit, runCommand } from '../../gate/run.js';
import { integrationWorktree, resetIntegration } from '../../git/landing/integration.js';
import { exclusive } from '../../git/locks.js';
import { sharedGitDir } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import { tellActivity } from '../activity.js';
import { commandEnvironment, SEATS } from '../command-environment.js';
import type { WorkDeps } from '../job.js';
import { setUp } from '../prepare.js';

export interface BaselineInput {
  project: string;
  idea: string;
  /** Commit. */
  base: string;
  /** Index of the last requested command, 0-based. */
  index: number;
  signal: AbortSignal;
}

/** The outcomes of the gate's commands up to `index` on the base, in order. Rejects only with the signal's reason. */
export async function baselineOutcomes(
  deps: WorkDeps,
  run: LoadedRun,
  input: BaselineInput,
): Promise<CommandOutcome[] | undefined> {
  try {
    return await outcomesOf(deps, run, input);
  } catch {
    input.signal.throwIfAborted();
    return undefined;
  }
}

async function outcomesOf(deps: WorkDeps, run: LoadedRun, input: BaselineInput): Promise<CommandOutcome[]> {
  const { repo, config } = run.file;
  const commands = gateCommands(config).slice(0, input.index + 1);
  const tree = await git(repo).run(['rev-parse', '--verify', '-q', `${input.base}^{tree}`], { read: true });
  const folder = await outcomeFolder(deps, input.project);
  const files = outcomeFiles(run, folder, tree).slice(0, input.index + 1);
  const known = await readAll(files);
  if (known) return known;
  const commonDir = await sharedGitDir(repo);
  const tell = tellActivity(deps, run, input.idea);
  tell('base');
  return exclusive(`baseline:${commonDir}`, async () => {
    // Another caller may have computed it during the wait for the lock.
    const meanwhile = await readAll(files);
    if (meanwhile) return meanwhile;
    input.signal.throwIfAborted();
    const integrationRoot = integrationDir(deps.root, input.project);
    const dir = await integrationWorktree({ repo, commonDir, integrationRoot, target: 'base of', commit: input.base });
    await resetIntegration(dir, input.base, config.worktrees.keep);
    const where = { ...input, agentName: SEATS.baseline, dir, logDir: join(folder, `${tree}-logs`) };
    await setUp(deps, run, { ...where, shared: true, onBegin: (command) => tell('base-set-up', { command }) });
    const { env, secrets, sandbox } = commandEnvironment(deps, run, 'gate', where);
    const token = `${input.project}/${input.idea}/baseline/${randomUUID()}`;
    const outcomes: CommandOutcome[] = [];
    for (const [n, command] of commands.entries()) {
      tell('base', { command: command.name, number: n + 1, of: commands.length });
      const at = { worktree: dir, logDir: where.logDir, lockRoot: gateLocksDir(deps.root) };
      const options = {
        ...at,
        env,
        secrets,
        sandbox,
        token,
        signal: input.signal,
        maxLogBytes: logLimit(run.file.config),
      };
      const { outcome } = await runCommand(options, command, `gate-${n + 1}`);
      outcomes.push(outcome);
      await writeAtomically(files[n] ?? '', JSON.stringify(outcome));
    }
    await prune(folder);
    return outcomes;
  });
}

/** Stores the outcomes of a commit that other ideas may start from. */
export async function keepOutcomes(
  deps: WorkDeps,
  run: LoadedRun,
  at: { project: string; tree: string },
  outcomes: ReadonlyArray<CommandOutcome | undefined>,
): Promise<void> {
  const folder = await outcomeFolder(deps, at.project);
  for (const [n, file] of outcomeFiles(run, folder, at.tree).entries()) {
    if (outcomes[n]) await writeAtomically(file, JSON.stringify(outcomes[n]));
  }
  await prune(folder);
}

async function outcomeFolder(deps: WorkDeps, project: string): Promise<string> {
  const folder = baselineDir(deps.root, project);
  await mkdir(folder, { recursive: true });
  return folder;
}

const outcomeFiles = (run: LoadedRun, folder: string, tree: string): string[] => {
  const { config } = run.file;
  const commands = gateCommands(config);
  return commands.map((_, n) => join(folder, `${tree}-${keyOf(commands.slice(0, n + 1), config.setup)}.json`));
};

/** Maximum number of stored outcomes over all commits. */
const MOST_KEPT = 200;

async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  if (names.length <= MOST_KEPT) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const old = aged.sort((a, b) => b.at - a.at).slice(MOST_KEPT);
  for (const { name } of old) await rm(join(folder, name), { force: true });
}

async function readAll(files: readonly string[]): Promise<CommandOutcome[] | undefined> {
  const found = await Promise.all(files.map(readOutcome));
  const known = found.filter((one) => one !== undefined);
  return known.length === files.length ? known : undefined;
}

/** Increase it when outcomes gain a field or name tests in another way, so that ralphctl computes stored ones again. */
const OUTCOME_VERSION = 4;

/** Earlier commands are part of the key: they may build what a later one tests. */
const keyOf = (commands: readonly GateCommand[], setup: LoadedRun['file']['config']['setup']): string =>
  createHash('sha256')
    .update(JSON.stringify([OUTCOME_VERSION, commands, setup.run]))
    .digest('hex')
    .slice(0, 16);

async function readOutcome(path: string): Promise<CommandOutcome | undefined> {
  try {
    return JSON.parse((await readOwn(path)) ?? '') as CommandOutcome;
  } catch {
    return undefined;
  }
}
