/**
 * How a gate command ends on the commit that the work started from.
 * Invariant: found out at most once for a tree and a command, in a worktree of its own, and only when somebody asks; a
 * base on which it cannot be found out is no error, but unknown.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baselineDir, integrationDir } from '../config/paths.js';
import type { CommandOutcome } from '../gate/attribute.js';
import { runCommand } from '../gate/run-gate.js';
import type { GateCommand } from '../gate/types.js';
import { git } from '../git/git.js';
import { integrationWorktree, resetIntegration } from '../git/integration.js';
import { exclusive } from '../git/locks.js';
import { sharedGitDir } from '../git/repository.js';
import { type LoadedRun, writeAtomically } from '../runs/run-files.js';
import { commandEnvironment } from './command-environment.js';
import type { WorkDeps } from './deps.js';
import { gateCommands } from './gate-commands.js';
import { setUp } from './set-up.js';
import { SEATS } from './slot-environment.js';

export interface BaselineInput {
  project: string;
  idea: string;
  /** Commit. */
  base: string;
  /** Index of the command in the gate, 0-based. */
  index: number;
  signal: AbortSignal;
}

/** Rejects only with the signal's reason. */
export async function baselineOutcome(
  deps: WorkDeps,
  run: LoadedRun,
  input: BaselineInput,
): Promise<CommandOutcome | undefined> {
  try {
    return await outcome(deps, run, input);
  } catch {
    input.signal.throwIfAborted();
    return undefined;
  }
}

async function outcome(deps: WorkDeps, run: LoadedRun, input: BaselineInput): Promise<CommandOutcome | undefined> {
  const { repo, config } = run.file;
  const commands = gateCommands(config).slice(0, input.index + 1);
  const tree = await git(repo).run(['rev-parse', '--verify', '-q', `${input.base}^{tree}`], { read: true });
  const folder = baselineDir(deps.root, input.project);
  await mkdir(folder, { recursive: true });
  const files = commands.map((_, n) => join(folder, `${tree}-${keyOf(commands.slice(0, n + 1), config.setup)}.json`));
  const wanted = files.at(-1) ?? '';
  const known = await readOutcome(wanted);
  if (known) return known;
  const commonDir = await sharedGitDir(repo);
  return exclusive(`baseline:${commonDir}`, async () => {
    // Somebody else may have asked for the same while this one waited.
    const meanwhile = await readOutcome(wanted);
    if (meanwhile) return meanwhile;
    input.signal.throwIfAborted();
    const integrationRoot = integrationDir(deps.root, input.project);
    const dir = await integrationWorktree({ repo, commonDir, integrationRoot, target: 'base of', commit: input.base });
    await resetIntegration(dir, input.base, config.worktrees.keep);
    const where = { ...input, agentName: SEATS.baseline, dir, logDir: join(folder, `${tree}-logs`) };
    await setUp(deps, run, { ...where, shared: true });
    const { env } = commandEnvironment(deps, run, 'gate', where);
    const token = `${input.project}/${input.idea}/baseline/${randomUUID()}`;
    let last: CommandOutcome | undefined;
    for (const [n, command] of commands.entries()) {
      const options = { worktree: dir, logDir: where.logDir, env, token, signal: input.signal };
      last = (await runCommand(options, command, `gate-${n + 1}`)).outcome;
      await writeAtomically(files[n] ?? wanted, JSON.stringify(last));
    }
    return last;
  });
}

/** Raised when outcomes say more than before, so that those on disk are found out again. */
const OUTCOME_VERSION = 2;

/** Earlier commands belong to it: they may build what a later one tests. */
const keyOf = (commands: readonly GateCommand[], setup: LoadedRun['file']['config']['setup']): string =>
  createHash('sha256')
    .update(JSON.stringify([OUTCOME_VERSION, commands, setup.run]))
    .digest('hex')
    .slice(0, 16);

async function readOutcome(path: string): Promise<CommandOutcome | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as CommandOutcome;
  } catch {
    return undefined;
  }
}
