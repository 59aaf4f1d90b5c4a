/**
 * Runs set-up and gate as a run does: in a fresh worktree of the target, with the environment of a gate.
 * Invariant: it creates the worktree for this and always removes it; the user's checkout and branches stay as they are.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gateLocksDir, projectDir } from '../../config/paths.js';
import type { Config } from '../../config/schema/config.js';
import { cannotRunText } from '../../gate/cannot-run.js';
import { SetupError } from '../../gate/kept/setup.js';
import { type GateCommand, gateCommands, runCommand } from '../../gate/run.js';
import { integrationWorktree } from '../../git/landing/integration.js';
import { targetTip } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import { commandEnvironment, SEATS } from '../../jobs/command-environment.js';
import type { WorkDeps } from '../../jobs/job.js';
import { setUp } from '../../jobs/prepare.js';
import { ownerPart } from '../../process/beside.js';
import { withLock } from '../../process/lock.js';
import { type Context, type Project, say } from '../context.js';
import { type Check, fail, ok, warn } from './check.js';

const LOCK_MS = 600_000;
const LAST_LINE = 200;

export interface Trial {
  project: Project;
  config: Config;
  target: string;
  /** Names of gate commands that are known not to work. */
  without: ReadonlySet<string>;
  signal: AbortSignal;
}

/** Rejects only with the signal's reason, or when git cannot create the worktree. */
export async function tryGate(context: Context, trial: Trial): Promise<Check[]> {
  const { target, project } = trial;
  const folder = join(projectDir(context.root, project.id), 'doctor');
  await mkdir(folder, { recursive: true });
  say(`doctor: trying set-up and gate in a fresh worktree of ${target} (--quick skips this) …`);
  const waiting = () => say('doctor: waiting for another doctor in this repository …');
  return withLock(
    join(folder, 'lock'),
    async () => {
      const { root, commonDir } = project.repository;
      const commit = await targetTip(root, target);
      const dir = await integrationWorktree({ repo: root, commonDir, integrationRoot: folder, target: 'base', commit });
      try {
        return await tried(trial, { root: context.root, host: '', env: context.env }, dir, folder);
      } finally {
        await remove(root, dir);
      }
    },
    { waitMs: LOCK_MS, onWait: waiting },
  );
}

async function remove(repo: string, dir: string): Promise<void> {
  const forget = () => git(repo).result(['worktree', 'remove', '--force', '--force', dir], { ok: [0, 128, 255] });
  const { code } = await forget();
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  // A command may have broken the worktree; git can remove a missing one. Pruning would also remove other worktrees.
  if (code !== 0) await forget();
}

async function tried(trial: Trial, deps: WorkDeps, dir: string, folder: string): Promise<Check[]> {
  const { config, project, signal, target } = trial;
  const run = { file: { config, repo: project.repository.root } };
  const owner = await ownerPart();
  const where = { project: project.id, idea: owner, agentName: SEATS.baseline, dir, signal };
  const logDir = join(folder, 'logs');
  const checks: Check[] = [];
  const startedAt = performance.now();
  try {
    await setUp(deps, run, { ...where, logDir });
    if (config.setup.run) checks.push(ok('set-up', `${shown(config.setup.run)}: done in ${seconds(startedAt)}`));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SetupError)) throw error;
    return [setupFailed(error)];
  }
  checks.push(...(await leftovers(dir, 'set-up', 'setup.run')));
  const { env, hint, secrets, sandbox } = commandEnvironment(deps, run, 'gate', { ...where, logDir });
  for (const [n, command] of gateCommands(config).entries()) {
    if (trial.without.has(command.name)) continue;
    const token = `${project.id}/${owner}/gate/${randomUUID()}`;
    const got = await runCommand(
      { worktree: dir, logDir, lockRoot: gateLocksDir(deps.root), env, hint, secrets, sandbox, token, signal },
      command,
      `gate-${n + 1}`,
    );
    checks.push(judged(command, got, trial, target));
  }
  if (checks.every(({ what }) => what !== LEFT)) checks.push(...(await leftovers(dir, 'the gate', 'gate')));
  return checks;
}

function setupFailed(error: SetupError): Check {
  const [first = ''] = error.message.split('\n');
  const last = error.tail.trim().split('\n').at(-1)?.slice(0, LAST_LINE);
  const log = error.log ? `; the whole output: ${error.log}` : '';
  return fail('set-up', last ? `${first}: ${last}` : first, `fix setup: in ralphctl.yaml${log}`);
}

/** Signals that people, service managers and the memory killer send; the others come from a crash. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

const howEnded = (exitCode: number | null, signal: string | undefined): string =>
  exitCode === null ? (signal ?? 'did not start') : `exit code ${exitCode}`;

function judged(
  command: GateCommand,
  { result, outcome, failure, signal }: Awaited<ReturnType<typeof runCommand>>,
  { config }: Trial,
  target: string,
): Check {
  const what = `gate: ${command.name}`;
  const where = `in a fresh worktree of ${target}`;
  const took = `${(result.durationMs / 1000).toFixed(1)} s`;
  if (!failure) {
    const tests = result.tests ? `, ${result.tests.passed} of ${result.tests.total} tests passed` : '';
    return ok(what, `green ${where}, ${took}${tests}`);
  }
  const log = `the whole output: ${failure.log}`;
  if (outcome.missing !== undefined) return fail(what, cannotRunText(outcome.missing, config.setup), log);
  if (signal && FROM_OUTSIDE.has(signal)) {
    const ended = `ended from outside (${signal}, ${took}), so it says nothing about ${target}`;
    return fail(what, ended, `try again: ralphctl doctor; ${log}`);
  }
  const last = failure.tail.trim().split('\n').at(-1)?.slice(0, LAST_LINE);
  const how = failure.timedOut ? 'timed out' : howEnded(failure.exitCode, signal);
  const found = `red ${where} (${how}, ${took})${last ? `: ${last}` : ''}`;
  // By default, every idea that does not fix the red gate ends with a question.
  if (config.gate.baseline === 'ask')
    return fail(what, found, `fix ${target}, or set gate.baseline to tolerate or strict; ${log}`);
  return warn(what, found, log);
}

const LEFT = 'files left behind';

/** New files that git does not ignore, and changes to tracked files. */
async function leftovers(dir: string, who: string, key: string): Promise<Check[]> {
  const status = await git(dir).run(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal'], {
    read: true,
  });
  const paths = status
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3));
  if (paths.length === 0) return [];
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  const found = `${who} leaves changes that an agent’s commit would contain: ${paths.slice(0, 3).join(', ')}${more}`;
  return [warn(LEFT, found, `add new files to .gitignore, commit the others, or keep ${key} from writing them`)];
}

const shown = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : command.join(' ');
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
