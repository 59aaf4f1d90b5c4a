/**
 * Remembers green gates by what they judged, so that one tree is not gated twice.
 * Invariant: a green counts for exactly its tree, with the same commands, set-up and environment, in the same run. Only
 * gates in a worktree that no agent works in may be remembered, and none whose verdict depends on another commit.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { greensDir } from '../../config/paths.js';
import { copiedState } from '../../gate/kept/copy-files.js';
import { gateCommands } from '../../gate/run.js';
import type { GateResult } from '../../protocol/gate.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import { environmentThatCounts } from '../command-environment.js';
import type { WorkDeps } from '../job.js';

export interface Green {
  gate: GateResult;
  /** The gate that ran, as in `gate of t-1`. */
  by: string;
}

/** Increase it when a green means something else. */
const VERSION = 1;
/** Most files. */
const MOST_KEPT = 200;

/**
 * The file for the green gate of a tree; undefined: none is remembered. Ask before set-up copies files: it counts what
 * they are like now.
 */
export async function greenFile(deps: WorkDeps, run: LoadedRun, tree: string): Promise<string | undefined> {
  const { config, repo, project, runId } = run.file;
  const { gate, setup, worktrees } = config;
  // Runs of older versions have no such setting.
  if (gate.reuse === false || gate.commands.length === 0) return undefined;
  const copied = await copiedState(repo, setup.copy).catch(() => undefined);
  if (copied === undefined) return undefined;
  const judged = [
    ...[VERSION, runId, gateCommands(config), gate.rerun, gate.protect],
    ...[setup.run, setup.copy, copied, worktrees.keep, worktrees.cache],
    ...[environmentThatCounts(deps, run, 'gate'), environmentThatCounts(deps, run, 'setup')],
  ];
  const key = createHash('sha256').update(JSON.stringify(judged)).digest('hex').slice(0, 32);
  return join(greensDir(deps.root, project), `${tree}-${key}.json`);
}

/** Undefined: no green gate of it is known. */
export async function recallGreen(file: string | undefined): Promise<Green | undefined> {
  if (file === undefined) return undefined;
  try {
    const { gate, by } = JSON.parse((await readOwn(file)) ?? '') as Partial<Green>;
    return gate?.pass === true && Array.isArray(gate.commands) && typeof by === 'string' ? { gate, by } : undefined;
  } catch {
    return undefined;
  }
}

/** A failure to write costs a gate later and nothing else. */
export async function rememberGreen(file: string | undefined, { gate, by }: Green): Promise<void> {
  if (file === undefined || !isPlain(gate)) return;
  const { pass, commands, tests, flaky, log, durationMs } = gate;
  const green: Green = { gate: { pass, commands, tests, flaky, log, durationMs }, by };
  try {
    const folder = join(file, '..');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeAtomically(file, JSON.stringify(green));
    await prune(folder);
  } catch {
    // The disk is full, for example.
  }
}

/** What was tolerated depends on the base, and a change of the repository by its code is a matter for a person. */
const isPlain = ({ pass, tolerated, tripwires }: GateResult): boolean =>
  pass && !tolerated && !tripwires?.some(({ kind }) => kind === 'outside');

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST_KEPT) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const old = aged.sort((a, b) => b.at - a.at).slice(MOST_KEPT);
  for (const { name } of old) await rm(join(folder, name), { force: true });
}
